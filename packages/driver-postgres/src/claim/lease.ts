import type { JobId, RunRef } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import { rangeOf } from '../values/job-ids.js';
import { plainArray } from '../values/plain-array.js';
import type { Asking } from './asking.js';

/** Marks jobs as in progress by a run. */
export function leasing(sql: Statements, { runId, jobs }: RunRef, forMs: number): Asking {
  return { text: sql.lease, values: [runId, jobs, forMs, rangeOf(jobs)[0]], given: jobs.length };
}

/** Locks those of a run's leased jobs that are still its own. */
export function lockingLeased(
  sql: Statements,
  runId: string,
  jobs: readonly JobId[],
  isCommitted: boolean,
): Asking {
  return { text: sql.lockLeased, values: [runId, jobs, isCommitted], given: 1 };
}

/** Gives a claim back, and ends the records of its run. */
export function releasing(sql: Statements, { runId, jobs }: RunRef): Asking {
  return { text: sql.release, values: [plainArray(jobs), runId, rangeOf(jobs)[0]], given: jobs.length };
}
