import type { RunRef } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';
import type { ClaimStatement } from './claim-statement.js';

/** Releases a claim, and ends the records of its run. Without the claim, others may have ended them rightly. */
export function releasing(sql: Statements, { runId, jobs }: RunRef, isHeld: boolean): ClaimStatement {
  const values = [plainArray(jobs), runId, rangeOf(jobs)[0], isHeld];
  return { text: sql.runs.release, values, given: jobs.length };
}
