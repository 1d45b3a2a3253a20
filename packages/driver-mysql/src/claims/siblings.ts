import { DriverError, isDriverError } from '@rowlock/core';
import { beforePaused, type Entities, HIGHEST_ID, type Job, type JobId } from '@rowlock/core/driver';
import { KEYS } from '../jobs/given-rows.js';
import { query } from '../query.js';
import type { JobRow } from '../rows.js';
import { inOrder } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';
import type { ClaimTransaction } from './claim-transaction.js';

/**
 * How many siblings beyond the limit are read with the others. Jobs of 1 KB were locked and ten of them read, in milliseconds:
 *
 * | jobs | one statement | two statements |
 * |---|---|---|
 * | 16 | 0.7 | 0.9 |
 * | 74 | 0.9 | 0.8 |
 * | 1,000 | 6.4 | 2.9 |
 */
const SURPLUS = 64;

/** So many siblings are locked before a count shows whether there are more. */
const FEW = 1024;

type Sibling = Pick<JobRow, 'id' | 'key'>;

interface Pausable extends Pick<JobRow, 'status'> {
  /** How many pauses its queue and its kind have. */
  readonly paused: number | string;
}

/** Locks the siblings of some jobs, all or none, and reads the first `limit` of each key. @throws DriverError */
export async function lockSiblings(
  tx: ClaimTransaction,
  entities: Entities,
  limit: number,
): Promise<readonly Job[]> {
  if (entities.keys.length === 0) return [];
  return tx.jobs.claimed(await lockAndRead(tx, entities, limit));
}

async function lockAndRead(
  tx: ClaimTransaction,
  { queue, keys }: Entities,
  limit: number,
): Promise<readonly JobRow[]> {
  const { sql } = tx.context;
  const given = KEYS.rows(keys.map((entity) => ({ entity })));
  const find = (most: number | bigint): Promise<readonly Sibling[]> =>
    query<Sibling>(tx.on, sql.siblings.siblings(given.text), [...given.values, queue, most]);

  let siblings = await find(FEW);
  if (siblings.length === FEW) {
    // A claim of the key mostly has its first job. The lock of that job refuses these, and the other 100,000 are not read.
    await lockEach(tx, idsOf(siblings), sql.siblings.lockManySiblings);
    siblings = await find(HIGHEST_ID);
  }
  const surplus = siblings.length - upTo(limit, siblings).length;
  if (surplus > SURPLUS) return lockMany(tx, idsOf(siblings), limit);
  return upTo(
    limit,
    runnable(await lockEach<JobRow & Pausable>(tx, idsOf(siblings), sql.siblings.lockSiblings)),
  );
}

/** Locks all siblings, and then reads the wanted ones. */
async function lockMany(
  tx: ClaimTransaction,
  ids: readonly JobId[],
  limit: number,
): Promise<readonly JobRow[]> {
  const locked = await lockEach<Sibling & Pausable>(tx, ids, tx.context.sql.siblings.lockManySiblings);
  const wanted = upTo(limit, runnable(locked)).map(({ id }) => id);
  const read = new Map<string, JobRow>();
  for (const part of inParts(wanted)) {
    const some = list(part);
    const text = tx.context.sql.siblings.locked(some.places);
    for (const row of await query<JobRow>(tx.on, text, some.values)) read.set(row.id, row);
  }
  return wanted.flatMap((id) => read.get(id) ?? []);
}

async function lockEach<Row>(
  tx: ClaimTransaction,
  ids: readonly JobId[],
  sql: (ids: string) => string,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const part of inParts(ids)) {
    const wanted = list(part);
    found.push(...(await query<Row>(tx.on, sql(wanted.places), wanted.values).catch(refused)));
  }
  return found;
}

function idsOf(siblings: readonly Sibling[]): readonly JobId[] {
  return inOrder(siblings.map(({ id }) => BigInt(id)));
}

/** Sorts the rows: those in progress first, then by id. Leaves out those that wait behind a pause. */
function runnable<Row extends Sibling & Pausable>(rows: readonly Row[]): readonly Row[] {
  const inProgress = rows.filter(({ status }) => status === 'in-progress');
  const others = rows.filter(({ status }) => status !== 'in-progress');
  return beforePaused([...inProgress, ...others], ({ paused }) => Number(paused) > 0);
}

/** The first `limit` of each key. */
function upTo<Row extends Sibling>(limit: number, rows: readonly Row[]): readonly Row[] {
  const taken = new Map<string | null, number>();
  return rows.filter(({ key }) => {
    const before = taken.get(key) ?? 0;
    taken.set(key, before + 1);
    return before < limit;
  });
}

/** Translates a refusal. MariaDB's error of NOWAIT is that of a lock wait. */
function refused(error: unknown): never {
  if (!isDriverError(error, 'LockTimeout')) throw error;
  throw new DriverError('LockNotAvailable', error.message, { cause: error });
}
