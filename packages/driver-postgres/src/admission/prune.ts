import { apart, type PrunedSlots, type Refused } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** Deletes old slots that nobody has, of some limits. @returns the last limit, or null if none is behind it @throws DriverError */
export async function pruneSlots(
  on: PostgresTransaction,
  sql: Statements,
  schema: string,
  beyond: string,
  ageMs: number,
): Promise<PrunedSlots> {
  const old = await query<{ name: string }>(on, sql.limits.oldSlots, [beyond, ageMs]);
  const refused: Refused<string>[] = [];
  for (const { name } of old) {
    const alone = await apart([name], () => query(on, sql.limits.pruneSlots, [name, ageMs, schema]));
    refused.push(...alone.refused);
  }
  return { last: old.at(-1)?.name ?? null, refused };
}
