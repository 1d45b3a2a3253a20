import { DriverError, isDriverError } from '@rowlock/core';
import { answerWithin, verifyLocks } from '@rowlock/core/driver';
import type { MysqlTransaction } from '../query.js';
import { query } from '../query.js';
import type { Connect } from './connect.js';
import { cut } from './session.js';

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (otherwise: 'SKIP LOCKED' | 'NOWAIT') => string;
  readonly id: number;
}

/** Checks that connections see each other's row locks. @throws DriverError `EngineUnsuitable` */
export async function verifyRowLocks(
  connect: Connect,
  pool: MysqlTransaction,
  { lock, id }: Row,
  answerMs: number,
): Promise<void> {
  const client = await connect();
  const isLocked = async (on: MysqlTransaction): Promise<boolean> =>
    (await query(on, lock('SKIP LOCKED'), [id])).length > 0;
  const bounded = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  const probe = {
    async lock() {
      await bounded(client.query('START TRANSACTION'));
      return bounded(isLocked(client));
    },
    lockSkipping: () => isLocked(pool),
    lockAtOnce: () => query(pool, lock('NOWAIT'), [id]).catch(refused),
  };
  try {
    await verifyLocks(probe);
  } finally {
    client.destroy();
  }
}

/** Translates a refusal. MariaDB's error of NOWAIT is that of a lock wait. */
function refused(error: unknown): never {
  if (!isDriverError(error, 'LockTimeout')) throw error;
  throw new DriverError('LockNotAvailable', error.message, { cause: error });
}
