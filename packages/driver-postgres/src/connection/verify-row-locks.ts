import { answerWithin, verifyLocks } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import { cut } from './connection.js';
import type { OutsidePool } from './outside-pool.js';

/**
 * Checks by a worker's row that connections see each other's row locks.
 *
 * @throws DriverError `EngineUnsuitable`
 */
export async function verifyRowLocks(
  { sql, answerMs }: Context,
  outside: OutsidePool,
  pool: PostgresTransaction,
  workerId: number,
): Promise<void> {
  const client = outside.client();
  // A lost connection makes the pending statement fail.
  client.on('error', () => {});
  const isLocked = async (on: PostgresTransaction): Promise<boolean> =>
    (await query(on, sql.lockWorkerSkipping, [workerId])).length > 0;
  const bounded = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  const probe = {
    async lock() {
      await outside.open(client);
      await bounded(client.query('BEGIN'));
      return bounded(isLocked(client));
    },
    lockSkipping: () => isLocked(pool),
    lockAtOnce: () => query(pool, sql.lockWorkerAtOnce, [workerId]),
  };
  try {
    await verifyLocks(probe);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await bounded(client.end()).catch(() => {});
  }
}
