import type { Stored } from '@rowlock/core';
import type { PictureView } from '../../src/views.js';
import { fromNow } from '../format/times.js';
import { type Cell, doingOf } from './sentence.js';

/** Neighbours of which the same can be said. */
export interface Group {
  /** The place of the first one in the order of the claim, from 0. */
  readonly place: number;
  readonly jobs: readonly [Cell, ...Cell[]];
}

/** The jobs in their order, neighbours that are alike together. */
export function groupsOf({ jobs }: Pick<Stored<PictureView>, 'jobs'>): readonly Group[] {
  const groups: { place: number; jobs: [Cell, ...Cell[]] }[] = [];
  for (const [place, job] of jobs.entries()) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last.jobs[0], job)) last.jobs.push(job);
    else groups.push({ place, jobs: [job] });
  }
  return groups;
}

/** Jobs that run are told one by one, unless one run has them. */
function isAlike(one: Cell, other: Cell): boolean {
  return (
    one.kind === other.kind &&
    one.state === other.state &&
    one.waitsFor === other.waitsFor &&
    one.run === other.run
  );
}

/** What all of them do. Delayed ones may be due at different times. */
export function doingOfAll(picture: Pick<Stored<PictureView>, 'runs'>, { jobs }: Group): string {
  const [first] = jobs;
  const last = jobs.at(-1);
  if (first.dueAt === undefined || last?.dueAt === undefined || first.dueAt === last.dueAt)
    return doingOf(picture, first);
  const [from, until] = [fromNow(first.dueAt), fromNow(last.dueAt)];
  return from === until ? `are due ${from}` : `are due ${from}, the last one ${until}`;
}

/** The key of all of them, or how many they have. */
export function keysOf({ jobs }: Group): string {
  const keys = new Set(jobs.map(({ key }) => key));
  const [only = null] = keys;
  if (keys.size === 1) return only ?? '–';
  return `${keys.size - (keys.has(null) ? 1 : 0)} keys`;
}
