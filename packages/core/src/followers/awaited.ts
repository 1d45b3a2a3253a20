import type { WakeUp } from '../driver/wake-up.js';
import { checkWhole, LIMITS } from '../input.js';
import type { NewJob } from '../job/job.js';

/** The most jobs that are named to the workers. Those that wait for others are found a little later. */
const MOST_NAMED = 20;

/** @throws InvalidInputError when the jobs of a call wait for too many others. */
export function checkAfter(jobs: readonly NewJob[]): void {
  const followed = jobs.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
  if (followed > 0)
    checkWhole('The number of jobs in after, of all jobs of the call,', followed, 0, LIMITS.jobsPerCall);
}

/**
 * Has workers look whether jobs wait that need not. A job for which another one waits may be settled while that one is
 * enqueued, and its worker does not find it yet. One name is enough for each waiting job.
 */
export function wakeUpsAfter(jobs: readonly NewJob[]): readonly WakeUp[] {
  const firsts = new Set(jobs.flatMap(({ after = [] }) => after.slice(0, 1)));
  return [...firsts].slice(0, MOST_NAMED).map((after) => ({ after }));
}
