import { type DependencyQuestion, type JobId, NO_ID } from '@rowlock/core/driver';
import { query } from '../query.js';
import { inOrder } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';
import type { ClaimTransaction } from './claim-transaction.js';

/** The lowest id below `before` of an outstanding job of these kinds and key, other than `except`. @throws DriverError */
export async function firstOutstanding(
  tx: ClaimTransaction,
  { key, kinds, before, except }: DependencyQuestion,
): Promise<JobId | undefined> {
  const kind = list(kinds);
  const parts = inParts(inOrder(except));
  let after = NO_ID;
  for (const [place, part] of (parts.length > 0 ? parts : [[NO_ID]]).entries()) {
    const [excluded, last] = [list(part), part.at(-1) ?? NO_ID];
    // Each part covers the ids up to its last one. The last part covers all ids up to `before`.
    const until = place + 1 < parts.length ? last : before;
    const text = tx.context.sql.siblings.firstOutstanding(kind.places, excluded.places);
    const values = [key, ...kind.values, after, until, ...excluded.values];
    const [row] = await query<{ id: string | null }>(tx.on, text, values);
    if (row?.id) return BigInt(row.id);
    after = last;
  }
  return undefined;
}
