import type { LiveRun } from './live-run.js';

/** What handlers write through, and for which run each was given out. */
const handles = new WeakMap<object, LiveRun>();

/** Keeps in mind whose handle this is. @returns the handle */
export function givenTo<Tx>(live: LiveRun, handle: Tx): Tx {
  if (typeof handle === 'object' && handle !== null) handles.set(handle, live);
  return handle;
}

/** Whether a job is settled in the transaction of this handle: by the run that was given it, or another of its batch. */
export function isSettledThrough(tx: unknown, publicId: string): boolean {
  const live = typeof tx === 'object' && tx !== null ? handles.get(tx) : undefined;
  return live?.together.some(({ redrives }) => redrives.has(publicId)) ?? false;
}
