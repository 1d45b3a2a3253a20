import { DriverError, isDriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import { verifyLocks } from '@rowlock/sql-drivers';
import type { Connection } from 'mysql2/promise';
import { toDriverError } from '../errors.js';
import { type MysqlTransaction, read } from '../query.js';
import { cut } from './session.js';

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (otherwise: 'SKIP LOCKED' | 'NOWAIT') => string;
  readonly id: number;
}

/** MariaDB's error of NOWAIT is that of a lock wait, which lasts a second at least. */
const WAITED_MS = 900;

/** Checks that this connection and the pool's see each other's row locks. @throws DriverError `EngineUnsuitable` */
export async function verifyRowLocks(
  client: Connection,
  pool: MysqlTransaction,
  { lock, id }: Row,
  answerMs: number,
): Promise<void> {
  const isLocked = async (on: MysqlTransaction, otherwise: 'SKIP LOCKED' | 'NOWAIT'): Promise<boolean> =>
    (await read(on, lock(otherwise).replace('?', String(id)))).length > 0;
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  const probe = {
    async lock() {
      await answered(client.query('START TRANSACTION'));
      return answered(isLocked(client, 'SKIP LOCKED'));
    },
    lockSkipping: () => isLocked(pool, 'SKIP LOCKED'),
    lockAtOnce() {
      const began = performance.now();
      return isLocked(pool, 'NOWAIT').catch((error: unknown) => {
        throw performance.now() - began < WAITED_MS ? refused(error) : error;
      });
    },
    confirm: () => answered(client.query('DO 0')),
  };
  try {
    await verifyLocks(probe);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await answered(client.query('ROLLBACK')).catch(() => {});
  }
}

function refused(error: unknown): unknown {
  if (!isDriverError(error, 'LockTimeout')) return error;
  return new DriverError('LockNotAvailable', error.message, { cause: error });
}
