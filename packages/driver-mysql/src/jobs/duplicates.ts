import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { inParts, list } from '../values/list.js';
import type { Scope } from './scope.js';
import { justBefore } from './taken-key.js';

/** The public ids of the jobs that have these unique keys, by key. @throws DriverError */
export async function findDuplicates(
  sql: Statements,
  { on, outside }: Scope,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const taken = new Map(await takenBy(outside, sql.enqueues.findDuplicates, keys, (key) => [key]));
  if (on === outside) return taken;
  // A transaction of REPEATABLE READ does not see commits since its begin, settlements among them. The jobs that the transaction sees
  // count only when no other transaction sees them, as they are then its own.
  const seen = await takenBy(on, sql.enqueues.findSeen, keys, (key) => [justBefore(key), key]);
  const committed = await committedOnes(
    sql,
    outside,
    seen.map(([, publicId]) => publicId),
  );
  for (const [key, publicId] of seen) if (!committed.has(publicId)) taken.set(key, publicId);
  return taken;
}

/** The jobs that have these unique keys. An old snapshot may have two jobs of one key. */
async function takenBy(
  on: MysqlTransaction,
  sql: (jobs: number) => string,
  keys: readonly string[],
  valuesOf: (key: string) => readonly string[],
): Promise<readonly [key: string, publicId: string][]> {
  const taken: [string, string][] = [];
  for (const part of inParts(keys)) {
    const wanted = list(part).values;
    const values = wanted.flatMap((key) => (key === null ? [] : valuesOf(key)));
    const rows = await query<{ taken_key: string; public_id: string }>(on, sql(wanted.length), values);
    for (const row of rows) taken.push([row.taken_key, row.public_id]);
  }
  return taken;
}

async function committedOnes(
  sql: Statements,
  outside: MysqlTransaction,
  publicIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const part of inParts(publicIds)) {
    const wanted = list(part);
    const text = sql.enqueues.committed(wanted.places);
    const rows = await query<{ public_id: string }>(outside, text, wanted.values);
    for (const { public_id } of rows) found.add(public_id);
  }
  return found;
}
