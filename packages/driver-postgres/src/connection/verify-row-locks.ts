import { answerWithin, verifyLocks } from '@rowlock/core/driver';
import { toDriverError } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import { cut } from './connection.js';
import type { OutsidePool } from './outside-pool.js';

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (otherwise: 'SKIP LOCKED' | 'NOWAIT') => string;
  readonly id: number;
}

/** Checks that connections see each other's row locks. @throws DriverError `EngineUnsuitable` */
export async function verifyRowLocks(
  outside: OutsidePool,
  pool: PostgresTransaction,
  { lock, id }: Row,
  answerMs: number,
): Promise<void> {
  const client = outside.client();
  // A lost connection makes the pending statement fail.
  client.on('error', () => {});
  const isLocked = async (on: PostgresTransaction): Promise<boolean> =>
    (await query(on, lock('SKIP LOCKED'), [id])).length > 0;
  const bounded = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  const probe = {
    async lock() {
      await outside.open(client);
      await bounded(client.query('BEGIN'));
      return bounded(isLocked(client));
    },
    lockSkipping: () => isLocked(pool),
    lockAtOnce: () => query(pool, lock('NOWAIT'), [id]),
  };
  try {
    await verifyLocks(probe);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await bounded(client.end()).catch(() => {});
  }
}
