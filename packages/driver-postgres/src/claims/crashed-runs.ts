import type { JobId } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';

/** Ends runs of these jobs as `reclaim`. A run in one row first gets records for its jobs. @throws DriverError */
export async function endCrashed(
  on: PostgresTransaction,
  sql: Statements,
  runIds: readonly string[],
  jobs: readonly JobId[],
): Promise<void> {
  const [ids, crashed] = [plainArray(jobs), plainArray(runIds)];
  await query(on, sql.runs.writeOut, [ids, ...rangeOf(jobs), crashed]);
  await query(on, sql.runs.endCrashed, [ids, crashed]);
}
