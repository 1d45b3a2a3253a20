import { apart, type Lanes, NO_LIMITS, type Refused, type Survey } from '@rowlock/core/driver';
import { queueRows } from '../jobs/given-rows.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';

/** A queue with something to wait for. */
interface QueueRow {
  readonly queue: string;
  /** Of the first delayed job, until its time. Not positive when its time has come. */
  readonly next_due_ms: string | null;
  /** Until the first pause ends, of any work. */
  readonly resumes_ms: string | null;
  /** Limits of a due job. Empty if one has none. */
  readonly waiting: string | null;
  readonly leased: number | string | null;
  /** Limits of a due job. */
  readonly limited: string | null;
  /** The same in each row. */
  readonly next_tick_ms: string | null;
  /** The same in each row. */
  readonly next_expiry_ms: string | null;
  /** The same in each row. */
  readonly followers: number | string | null;
}

/** Finds the queues with due jobs. @throws DriverError */
export async function dueQueues(
  sql: Statements,
  on: MysqlTransaction,
  { queues, kinds }: Lanes,
): Promise<readonly string[]> {
  if (queues.length === 0) return [];
  const [given, kind] = [queueRows(queues), list(kinds)];
  const text = sql.surveys.dueQueues(given.text, kind.places);
  const rows = await query<Pick<QueueRow, 'queue'>>(on, text, [...given.values, ...kind.values]);
  return rows.map(({ queue }) => queue);
}

/**
 * Finds the work that a worker can wait for, and makes delayed jobs due. If the database refuses that of some job, makes the
 * others due apart.
 *
 * @throws DriverError
 */
export async function survey(
  sql: Statements,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  { queues, kinds }: Lanes,
  except: readonly string[],
): Promise<Survey> {
  if (queues.length === 0)
    return {
      promoted: 0,
      nextDueMs: null,
      waiting: false,
      unlimited: false,
      leased: false,
      limited: false,
      followers: false,
      nextExpiryMs: null,
      nextTickMs: null,
      refused: [],
    };
  const [given, kind] = [queueRows(queues), list(kinds)];
  const text = sql.surveys.survey(given.text, kind.places);
  const rows = await query<QueueRow>(on, text, [...kind.values, ...given.values]);
  const nextTick = rows[0]?.next_tick_ms ?? null;
  const nextExpiry = rows[0]?.next_expiry_ms ?? null;
  let promoted = 0;
  const refused: Refused<string>[] = [];
  const resumes = rows[0]?.resumes_ms ?? null;
  let nextDueMs = resumes === null ? null : Number(resumes);
  for (const { queue, next_due_ms: first } of rows) {
    if (first === null) continue;
    let ms: number | null = Number(first);
    if (ms <= 0) {
      const due = await promote(sql, on, inTransaction, queue, except);
      promoted += due.promoted;
      refused.push(...due.refused);
      ms = await nextDue(sql, on, queue);
    }
    if (ms !== null) nextDueMs = Math.min(nextDueMs ?? ms, ms);
  }
  return {
    promoted,
    nextDueMs,
    waiting: rows.some(({ waiting }) => waiting !== null),
    unlimited: rows.some(({ waiting }) => waiting === NO_LIMITS),
    leased: rows.some(({ leased }) => leased !== null),
    limited: rows.some(({ limited }) => limited !== null),
    followers: rows[0] !== undefined && rows[0].followers !== null,
    nextExpiryMs: nextExpiry === null ? null : Number(nextExpiry),
    nextTickMs: nextTick === null ? null : Number(nextTick),
    refused,
  };
}

/** Makes jobs due. A locked job is found the next time. */
async function promote(
  sql: Statements,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  queue: string,
  except: readonly string[],
): Promise<Pick<Survey, 'promoted' | 'refused'>> {
  const { places, values } = except.length === 0 ? { places: '', values: [] } : list(except);
  const text = sql.surveys.findLater(places);
  const later = await query<{ id: string; public_id: string }>(on, text, [queue, ...values]);
  const { answers, refused } = await apart(later, (some) =>
    inTransaction(async (tx) => {
      const wanted = list(some.map(({ id }) => id));
      const free = await query<{ id: string }>(tx, sql.surveys.lockLater(wanted.places), wanted.values);
      if (free.length === 0) return 0;
      const due = list(free.map(({ id }) => id));
      await change(tx, sql.surveys.promote(due.places), due.values);
      return free.length;
    }),
  );
  return {
    promoted: answers.reduce((sum, each) => sum + each, 0),
    refused: refused.map(({ member, error }) => ({ member: member.public_id, error })),
  };
}

async function nextDue(sql: Statements, on: MysqlTransaction, queue: string): Promise<number | null> {
  const [next] = await query<{ next_due_ms: string }>(on, sql.surveys.nextDue, [queue]);
  return next === undefined ? null : Number(next.next_due_ms);
}
