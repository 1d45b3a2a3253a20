import type { RunRef } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';
import type { ClaimStatement } from './claim-statement.js';

/** Releases a claim, and ends the records of its run. */
export function releasing(sql: Statements, { runId, jobs }: RunRef): ClaimStatement {
  return { text: sql.runs.release, values: [plainArray(jobs), runId, rangeOf(jobs)[0]], given: jobs.length };
}
