import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { type GiveUp, withConnection } from '../connection/connection.js';
import type { Context } from '../context.js';
import type { MysqlTransaction } from '../query.js';
import { transactionOn } from './in-transaction.js';
import { MysqlStore } from './store.js';

/** The session's own limit is kept on the server: this part does not depend on its value. */
const BOUND =
  'SET @rowlock_lock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = ?';
const UNBOUND = 'SET SESSION innodb_lock_wait_timeout = @rowlock_lock_wait';

/**
 * Works with a store whose statements wait for a lock for about `waitMs` milliseconds, and then fail with a
 * `LockTimeout`. The server counts in whole seconds. The store has one connection of the pool.
 *
 * @throws DriverError
 */
export function withBoundedWaits<Result>(
  { pool, context, giveUp }: { readonly pool: Pool; readonly context: Context; readonly giveUp: GiveUp },
  waitMs: number,
  work: (store: MysqlStore) => Promise<Result>,
): Promise<Result> {
  const { answerMs } = context;
  return withConnection(pool, answerMs, async (client) => {
    const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
      answerWithin(answerMs, answer, () => giveUp(client));
    await answered(client.query(BOUND, [Math.max(1, Math.ceil(waitMs / 1_000))]));
    try {
      return await work(storeOn(client, context, answered));
    } finally {
      // The work is done, or has failed, whatever becomes of its connection.
      await answered(client.query(UNBOUND)).catch(() => client.destroy());
    }
  });
}

function storeOn(
  client: PoolConnection,
  context: Context,
  answered: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
): MysqlStore {
  const on: MysqlTransaction = {
    execute: (sql, values) => answered(client.execute<never>(sql, values)),
    query: (sql, values) => answered(client.query<never>(sql, values)),
  };
  return new MysqlStore(context, { on, outside: on }, (inTransaction, answerMs = context.answerMs) =>
    transactionOn(client, answerMs, inTransaction),
  );
}
