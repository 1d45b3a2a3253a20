import { AsyncLocalStorage } from 'node:async_hooks';
import { type Coded, decoded } from '../handler/codec.js';
import type { Enqueued, NewJob } from '../job/job.js';

/**
 * Called with the jobs of a call that enqueues, with payloads in clear, and with their outcomes, in the same order, once they
 * are written.
 */
export type EnqueueWatcher = (jobs: readonly NewJob[], outcomes: readonly Enqueued[], by: unknown) => void;

const watchers = new AsyncLocalStorage<EnqueueWatcher>();

/** Calls back with what is enqueued in the async context of some work, through any Rowlock, for tests. */
export function watchEnqueues<Result>(watcher: EnqueueWatcher, work: () => Result): Result {
  const outer = watchers.getStore();
  return watchers.run((...call) => {
    watcher(...call);
    outer?.(...call);
  }, work);
}

/** @param by The client that enqueues. */
export function watched(
  handler: Coded,
  jobs: readonly NewJob[],
  outcomes: Promise<readonly Enqueued[]>,
  by: unknown,
): Promise<readonly Enqueued[]> {
  const watcher = watchers.getStore();
  if (watcher === undefined) return outcomes;
  return outcomes.then((enqueued) => {
    const clear = jobs.map((job) => ({ ...job, payload: decoded(handler, job.payload) }));
    watcher(clear, enqueued, by);
    return enqueued;
  });
}
