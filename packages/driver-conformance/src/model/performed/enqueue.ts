import type { CommandOf } from '../command.js';
import type { Wanted } from '../parts.js';
import type { Result } from '../result.js';
import type { Names } from './names.js';
import type { WorldState } from './state.js';
import { DAY_MS, LONG_AGO } from './time.js';

export async function enqueue<Tx>(
  state: WorldState<Tx>,
  { by, jobs }: CommandOf<'enqueue'>,
): Promise<Result> {
  const { names } = state;
  const store = await state.store(by);
  const outcomes = await store.jobs.enqueue(jobs.map((wanted) => newJob(names, wanted)));
  return outcomes.map(({ outcome, publicId }) => {
    if (outcome === 'enqueued') names.addJob(publicId);
    const job = names.job(publicId);
    return outcome === 'enqueued' ? `enqueued ${job}` : `duplicate of ${job}`;
  });
}

/** An application's own transaction. */
export async function end<Tx>(state: WorldState<Tx>, { by, how }: CommandOf<'end'>): Promise<Result> {
  const caller = state.callers.get(by);
  state.callers.delete(by);
  return caller?.[how]();
}

function newJob(names: Names, { queue, kind, key, priority, available, limits, unique }: Wanted) {
  return {
    queue: names.own(queue),
    kind,
    key: key === null ? null : names.own(key),
    payload: { wanted: available },
    priority,
    available: available === 'long ago' ? { at: LONG_AGO } : { inMs: available === 'tomorrow' ? DAY_MS : 0 },
    maxAttempts: 5,
    unique: unique && { key: names.own(unique.key), scope: unique.scope },
    metadata: {},
    limits: names.limitsText(limits),
    createdBy: 'model',
  } as const;
}
