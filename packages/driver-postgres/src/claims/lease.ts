import type { JobId, RunRef } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';
import type { Slot } from './slots.js';

/** Marks a run's jobs as in progress, and the claim's slots as the run's. */
export function leasing(
  sql: Statements,
  { runId, jobs }: RunRef,
  forMs: number,
  slots: readonly Slot[],
): ClaimStatement {
  const taken = [slots.map(({ limit }) => limit), slots.map(({ number }) => number)];
  return {
    text: sql.leases.lease,
    values: [runId, jobs, forMs, rangeOf(jobs)[0], ...taken],
    given: jobs.length,
  };
}

/** Locks those leased jobs that the run still has. */
export function lockingLeased(
  sql: Statements,
  runId: string,
  jobs: readonly JobId[],
  isCommitted: boolean,
): ClaimStatement {
  return { text: sql.leases.lockLeased, values: [runId, jobs, isCommitted], given: jobs.length };
}
