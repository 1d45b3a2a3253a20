import type { Lanes, Survey } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import type { InTransaction } from '../store/in-transaction.js';
import { list } from '../values/list.js';

/** Finds the work that a worker can wait for, and makes delayed jobs due. @throws DriverError */
export async function survey(
  sql: Statements,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  { queues, kinds }: Lanes,
): Promise<Survey> {
  let [promoted, nextDueMs]: [number, number | null] = [0, null];
  let [waiting, leased] = [false, false];
  const kind = list(kinds);
  for (const queue of queues) {
    promoted += await promote(sql, on, inTransaction, queue);
    const [next] = await query<{ next_due_ms: string }>(on, sql.nextDue, [queue]);
    if (next !== undefined)
      nextDueMs = Math.min(nextDueMs ?? Number.POSITIVE_INFINITY, Number(next.next_due_ms));
    const found = await query(on, sql.waiting(kind.places), [queue, ...kind.values]);
    waiting ||= found.length > 0;
    leased ||= (await query(on, sql.leased, [queue])).length > 0;
  }
  return { promoted, nextDueMs, waiting, leased };
}

/** Makes jobs due. A locked job is found the next time. */
async function promote(
  sql: Statements,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  queue: string,
): Promise<number> {
  const later = await query<{ id: string }>(on, sql.findLater, [queue]);
  if (later.length === 0) return 0;
  return inTransaction(async (tx) => {
    const wanted = list(later.map(({ id }) => id));
    const free = await query<{ id: string }>(tx, sql.lockLater(wanted.places), wanted.values);
    if (free.length === 0) return 0;
    const due = list(free.map(({ id }) => id));
    await change(tx, sql.promote(due.places), due.values);
    return free.length;
  });
}
