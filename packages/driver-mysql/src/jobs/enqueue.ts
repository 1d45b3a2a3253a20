import { DriverError, type Enqueued, isDriverError } from '@rowlock/core';
import { despiteDeadlocks, type NewJob } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { noteExpiries } from '../expiry/expiry.js';
import { follow, following } from '../followers/admit.js';
import { change, type MysqlTransaction, type Value } from '../query.js';
import type { Statements } from '../statements.js';
import { findDuplicates } from './duplicates.js';
import { NEW_JOBS, WANTED_KEYS } from './given-rows.js';
import type { InTransaction } from './in-transaction.js';
import { inPackets } from './packets.js';
import { type NewJobRow, type PendingJob, pendingJob, valuesOf } from './pending-job.js';
import type { Scope } from './scope.js';

/** How often a unique key may change hands while a job that needs it is enqueued. */
const MOST_TRIES = 10;

/** Inserts jobs in order, except duplicates. @throws DriverError */
export async function enqueue(
  context: Context,
  scope: Scope,
  inTransaction: InTransaction,
  jobs: readonly NewJob[],
): Promise<readonly Enqueued[]> {
  const { sql, answerMs } = context;
  const given = jobs.map(pendingJob);
  const follows = given.some(({ after }) => after.length > 0);
  const pending = follows ? await following(sql, scope, given) : given;
  const expires = pending.some(({ expires }) => expires !== null);
  const packets = inPackets(pending.map(({ row }) => row)).length;
  const isJoined = scope.on !== scope.outside;
  if (isJoined) return insertAll(sql, scope, pending, true);
  if (packets <= 1 && !follows && !expires) {
    const hasKeys = pending.some(({ takenKey }) => takenKey !== null);
    const looksFirst = hasKeys && (await context.product(scope.on)) === 'MySQL';
    return insertAll(sql, scope, pending, false, looksFirst ? insertUnlessTaken : insertRows);
  }
  // Jobs that do not fit into one statement go into one transaction, which sees the commits of others. So do jobs that wait for others.
  return despiteDeadlocks(() =>
    inTransaction(
      (tx) => insertAll(sql, { on: tx, outside: tx }, pending, true),
      Math.max(1, packets) * answerMs,
    ),
  );
}

/** Inserts jobs in a transaction, except duplicates. @throws DriverError */
export function enqueueWithin(
  sql: Statements,
  tx: MysqlTransaction,
  jobs: readonly NewJob[],
): Promise<readonly Enqueued[]> {
  return insertAll(sql, { on: tx, outside: tx }, jobs.map(pendingJob), true);
}

async function insertAll(
  sql: Statements,
  scope: Scope,
  jobs: readonly PendingJob[],
  isInTransaction: boolean,
  insertAs: typeof insertRows = insertRows,
): Promise<readonly Enqueued[]> {
  const outcomes = new Array<Enqueued>(jobs.length);
  let pending = jobs;
  if (jobs.some(({ waits }) => waits !== null)) await follow(sql, scope.on, jobs);
  if (jobs.some(({ expires }) => expires !== null)) await noteExpiries(sql, scope.on, jobs);
  // A refused INSERT keeps a lock on the other job's key until the transaction commits. The settlement of that job would wait for
  // the lock.
  if (isInTransaction) pending = await withoutDuplicates(sql, scope, pending, outcomes);
  for (let tries = 0; pending.length > 0; tries++) {
    if (tries === MOST_TRIES)
      throw new DriverError(
        'SerializationFailure',
        'A unique key passed from job to job, too often for this enqueue: try again.',
      );
    const insert = () => insertAs(sql, scope.on, withoutTwins(pending));
    const inserted = await (isInTransaction ? insert() : despiteDeadlocks(insert));
    pending = withoutInserted(pending, inserted, outcomes);
    // The job that has the key may be settled before it is found. The next INSERT then succeeds.
    pending = await withoutDuplicates(sql, scope, pending, outcomes);
  }
  return outcomes;
}

/** Each statement inserts all its rows, or none when a unique key is taken. @returns the public ids of the inserted jobs */
async function insertRows(
  sql: Statements,
  on: MysqlTransaction,
  pending: readonly PendingJob[],
): Promise<ReadonlySet<string>> {
  const inserted = new Set<string>();
  for (const packet of inPackets(pending.map(({ row }) => row))) {
    if (await isPacketInserted(sql, on, packet)) for (const { public_id } of packet) inserted.add(public_id);
  }
  return inserted;
}

/**
 * Inserts all jobs by one statement, which is a transaction by itself, or none when a unique key is taken. For MySQL: a locking read
 * waits for a key alone. On MariaDB the read may wait for the row as well, with the key locked, and the job's settlement meets a deadlock.
 *
 * @returns the public ids of the inserted jobs
 */
async function insertUnlessTaken(
  sql: Statements,
  on: MysqlTransaction,
  pending: readonly PendingJob[],
): Promise<ReadonlySet<string>> {
  const keys = pending.flatMap(({ takenKey }) => (takenKey === null ? [] : { taken_key: takenKey }));
  if (keys.length === 0) return insertRows(sql, on, pending);
  const given = NEW_JOBS.rows(pending.map(({ row }) => row));
  const wanted = WANTED_KEYS.rows(keys);
  const text = sql.enqueues.enqueueUnlessTaken(given.text, wanted.text);
  const areFree = await isInserted(on, text, [...given.values, ...wanted.values]);
  return new Set(areFree ? pending.map(({ publicId }) => publicId) : []);
}

function isPacketInserted(
  sql: Statements,
  on: MysqlTransaction,
  packet: readonly NewJobRow[],
): Promise<boolean> {
  const [row] = packet;
  if (row !== undefined && packet.length === 1) return isInserted(on, sql.enqueues.enqueueOne, valuesOf(row));
  const given = NEW_JOBS.rows(packet);
  return isInserted(on, sql.enqueues.enqueue(given.text), given.values);
}

/** @returns false when a unique key is taken */
async function isInserted(on: MysqlTransaction, text: string, values: readonly Value[]): Promise<boolean> {
  try {
    return (await change(on, text, values)).rows > 0;
  } catch (error) {
    if (isDriverError(error, 'UniqueViolation')) return false;
    throw error;
  }
}

async function withoutDuplicates(
  sql: Statements,
  scope: Scope,
  pending: readonly PendingJob[],
  outcomes: Enqueued[],
): Promise<readonly PendingJob[]> {
  const keys = pending.flatMap(({ takenKey }) => takenKey ?? []);
  const taken = await findDuplicates(sql, scope, keys);
  return pending.filter(({ takenKey, place }) => {
    const publicId = takenKey === null ? undefined : taken.get(takenKey);
    if (publicId === undefined) return true;
    outcomes[place] = { outcome: 'duplicate', publicId };
    return false;
  });
}

/** The first job of each unique key, and the jobs without one. */
function withoutTwins(pending: readonly PendingJob[]): readonly PendingJob[] {
  const keys = new Set<string>();
  return pending.filter(({ takenKey }) => {
    if (takenKey === null) return true;
    const isFirst = !keys.has(takenKey);
    keys.add(takenKey);
    return isFirst;
  });
}

/**
 * Leaves out inserted jobs, and their twins: the second of two jobs with one key is a duplicate of the first. No query is used:
 * it might fail, and the caller would count an inserted job as refused.
 */
function withoutInserted(
  pending: readonly PendingJob[],
  inserted: ReadonlySet<string>,
  outcomes: Enqueued[],
): readonly PendingJob[] {
  const firsts = new Map<string, string>();
  return pending.filter(({ place, publicId, takenKey }) => {
    const first = takenKey === null ? undefined : firsts.get(takenKey);
    if (inserted.has(publicId)) {
      outcomes[place] = { outcome: 'enqueued', publicId };
      if (takenKey !== null) firsts.set(takenKey, publicId);
    } else if (first !== undefined) outcomes[place] = { outcome: 'duplicate', publicId: first };
    return outcomes[place] === undefined;
  });
}
