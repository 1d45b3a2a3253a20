import { answerWithin } from '@rowlock/core/driver';
import type { PoolConnection } from 'mysql2/promise';
import type { GateCallParts } from '../claims/limit-call.js';
import { withConnection } from '../connection/connection.js';
import { translated } from '../errors.js';
import type { MysqlTransaction } from '../query.js';
import { type InTransaction, transactionOn } from './in-transaction.js';
import type { Scope } from './scope.js';

/** The session's own limit is kept on the server: this part does not depend on its value. */
const BOUND =
  'SET @rowlock_lock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = ?';
const UNBOUND = 'SET SESSION innodb_lock_wait_timeout = @rowlock_lock_wait';

/**
 * Works with statements that wait for a lock for about `waitMs` milliseconds, and then fail with a `LockTimeout`. The
 * server counts in whole seconds. The work has one connection of the pool.
 *
 * @throws DriverError
 */
export function withBoundedWaits<Result>(
  { pool, context, giveUp }: GateCallParts,
  waitMs: number,
  work: (scope: Scope, inTransaction: InTransaction) => Promise<Result>,
): Promise<Result> {
  const { answerMs } = context;
  return withConnection(pool, answerMs, async (client) => {
    const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
      answerWithin(answerMs, translated(answer), () => giveUp(client));
    await answered(client.query(BOUND, [Math.max(1, Math.ceil(waitMs / 1_000))]));
    try {
      const on = answeredOn(client, answered);
      return await work({ on, outside: on }, (inside, ms = answerMs) => transactionOn(client, ms, inside));
    } finally {
      // The work is done, or has failed, whatever becomes of its connection.
      await answered(client.query(UNBOUND)).catch(() => client.destroy());
    }
  });
}

function answeredOn(
  client: PoolConnection,
  answered: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
): MysqlTransaction {
  return {
    execute: (sql, values) => answered(client.execute<never>(sql, values)),
    query: (sql, values) => answered(client.query<never>(sql, values)),
  };
}
