import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** Deletes old slots that nobody has, of some limits. @returns the last limit, or null if none is behind it @throws DriverError */
export async function pruneSlots(
  on: PostgresTransaction,
  sql: Statements,
  schema: string,
  beyond: string,
  ageMs: number,
): Promise<string | null> {
  const old = await query<{ name: string }>(on, sql.limits.oldSlots, [beyond, ageMs]);
  for (const { name } of old) await query(on, sql.limits.pruneSlots, [name, ageMs, schema]);
  return old.at(-1)?.name ?? null;
}
