import type { JobId } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** Deletes those of these jobs that were settled long enough ago, with their runs' records. @returns how many @throws DriverError */
export async function prune(
  on: PostgresTransaction,
  sql: Statements,
  jobs: readonly JobId[],
  settledMs: number,
): Promise<number> {
  const [row] = await query<{ pruned: bigint }>(on, sql.prune, [jobs, settledMs]);
  return Number(row?.pruned ?? 0);
}

/** Takes the turn to prune, unless another worker has it. @throws DriverError */
export async function takePruneTurn(
  on: PostgresTransaction,
  sql: Statements,
  workerId: string,
  forMs: number,
): Promise<boolean> {
  const rows = await query(on, sql.takePruneTurn, [workerId, forMs]);
  return rows.length > 0;
}
