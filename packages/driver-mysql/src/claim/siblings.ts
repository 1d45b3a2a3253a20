import { DriverError, isDriverError } from '@rowlock/core';
import type { Entities, JobId } from '@rowlock/core/driver';
import type { Ask } from './claim.js';
import { KEYS } from '../statements/given-rows.js';
import { inOrder } from '../statements/job-ids.js';
import { inParts, list } from '../statements/query.js';
import type { JobRow } from '../statements/rows.js';
import type { Statements } from '../statements/statements.js';

/**
 * How many siblings beyond the limit are read with the others. Ten of 16 jobs of 1 KB took 0.7 ms in one statement and 0.9 in two, of
 * 74 0.9 and 0.8, of 1,000 6.4 and 2.9.
 */
const SURPLUS = 64;

/** How many siblings are locked before it is known whether there are more. */
const FEW = 1024;

const ALL = 9_223_372_036_854_775_807n;

type Sibling = Pick<JobRow, 'id' | 'key'>;

/** Locks the siblings of some jobs, all or none, and reads those that are wanted. @throws DriverError */
export async function lockSiblings(
  ask: Ask,
  sql: Statements,
  { queue, keys }: Entities,
  limit: number,
): Promise<readonly JobRow[]> {
  if (keys.length === 0) return [];
  const given = KEYS.rows(keys.map((entity) => ({ entity })));
  const find = (most: number | bigint): Promise<readonly Sibling[]> =>
    ask<Sibling>(sql.siblings(given.text), [...given.values, queue, most]);

  let siblings = await find(FEW);
  if (siblings.length === FEW) {
    // Somebody who has a key has its first job, as a rule: of 100,000 the others need not be read to be refused.
    await lockEach(ask, idsOf(siblings), sql.lockManySiblings);
    siblings = await find(ALL);
  }
  const surplus = siblings.length - upTo(limit, siblings).length;
  if (surplus > SURPLUS) return lockMany(ask, sql, idsOf(siblings), limit);
  return upTo(limit, inProgressFirst(await lockEach<JobRow>(ask, idsOf(siblings), sql.lockSiblings)));
}

/** Locks all, and reads those that are wanted. */
async function lockMany(
  ask: Ask,
  sql: Statements,
  ids: readonly JobId[],
  limit: number,
): Promise<readonly JobRow[]> {
  const locked = await lockEach<Sibling & Pick<JobRow, 'status'>>(ask, ids, sql.lockManySiblings);
  const wanted = upTo(limit, inProgressFirst(locked)).map(({ id }) => id);
  const read = new Map<string, JobRow>();
  for (const part of inParts(wanted)) {
    const some = list(part);
    for (const row of await ask<JobRow>(sql.locked(some.places), some.values)) read.set(row.id, row);
  }
  return wanted.flatMap((id) => read.get(id) ?? []);
}

async function lockEach<Row>(
  ask: Ask,
  ids: readonly JobId[],
  sql: (ids: string) => string,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const part of inParts(ids)) {
    const wanted = list(part);
    found.push(...(await ask<Row>(sql(wanted.places), wanted.values).catch(refused)));
  }
  return found;
}

function idsOf(siblings: readonly Sibling[]): readonly JobId[] {
  return inOrder(siblings.map(({ id }) => BigInt(id)));
}

/** Those in progress first, then by id. */
function inProgressFirst<Row extends Pick<JobRow, 'status'>>(rows: readonly Row[]): readonly Row[] {
  const inProgress = rows.filter(({ status }) => status === 'in-progress');
  return [...inProgress, ...rows.filter(({ status }) => status !== 'in-progress')];
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

/** MariaDB says of NOWAIT that the wait, of no time, was too long. */
function refused(error: unknown): never {
  if (!isDriverError(error, 'LockTimeout')) throw error;
  throw new DriverError('LockNotAvailable', error.message, { cause: error });
}
