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

/** Deletes old slots that nobody has, of some limits. @returns the last limit, or null if none is behind it @throws DriverError */
export async function pruneSlots(
  on: PostgresTransaction,
  sql: Statements,
  schema: string,
  beyond: string,
  ageMs: number,
): Promise<string | null> {
  const old = await query<{ name: string }>(on, sql.oldSlots, [beyond, ageMs]);
  for (const { name } of old) await query(on, sql.pruneSlots, [name, ageMs, schema]);
  return old.at(-1)?.name ?? null;
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
