import type { Job } from '../job/job.js';
import type { WakeUp } from './wake-up.js';

/** The work that a pause stops: of a queue, of a kind, or with a limit, by its name; or all. The name of all is ''. */
export interface PauseTarget {
  readonly scope: 'queue' | 'kind' | 'limit' | 'all';
  readonly name: string;
}

/** A pause to set. */
export interface NewPause extends PauseTarget {
  /** When it ends by itself, by the database's clock. Null: never. */
  readonly until: Date | null;
  readonly reason: string | null;
  /** Who pauses. */
  readonly by: string;
}

/** Whether a pause takes the place of an earlier one of the same target, or leaves one that ends later as it is. */
export type PauseMode = 'replace' | 'extend';

/** A pause that has not ended. */
export interface PauseView extends NewPause {
  readonly pausedAt: Date;
}

/** The hint that the pauses of a target have changed. */
export function wakeUpFor({ scope, name }: PauseTarget): WakeUp {
  return scope === 'queue' ? { queue: name } : {};
}

/**
 * Leaves out what waits behind a pause: of each key, the first paused job and those after it. Jobs in progress stay.
 *
 * @param jobs Those of a key together, in the order of `lockSiblings`.
 */
export function beforePaused<Sibling extends Pick<Job, 'status'> & { readonly key: string | null }>(
  jobs: readonly Sibling[],
  isPaused: (job: Sibling) => boolean,
): readonly Sibling[] {
  const ended = new Set<string | null>();
  return jobs.filter((job) => {
    if (job.status === 'in-progress') return true;
    if (isPaused(job)) ended.add(job.key);
    return !ended.has(job.key);
  });
}
