import { type JobId, type RunRef, rangeOf } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';

/** Marks a run's jobs as in progress. */
export function leasing(sql: Statements, { runId, jobs }: RunRef, forMs: number): ClaimStatement {
  return { text: sql.lease, values: [runId, jobs, forMs, rangeOf(jobs)[0]], given: jobs.length };
}

/** Locks those leased jobs that the run still has. */
export function lockingLeased(
  sql: Statements,
  runId: string,
  jobs: readonly JobId[],
  isCommitted: boolean,
): ClaimStatement {
  return { text: sql.lockLeased, values: [runId, jobs, isCommitted], given: 1 };
}
