import { DriverError, isDriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import { unaccepted, verifyLocks } from '@rowlock/sql-drivers';
import type { Connection } from 'mysql2/promise';
import { toDriverError, translated } from '../errors.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { type MysqlTransaction, read } from '../query.js';
import { cut } from './session.js';

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (otherwise: 'SKIP LOCKED' | 'NOWAIT') => string;
  readonly id: number;
}

/** The shortest time that the server may wait for a lock. No lock of the probe should wait at all. */
const SHORT_WAIT = 'SET SESSION innodb_lock_wait_timeout = 1';

/** MariaDB's error of NOWAIT is that of a lock wait, which lasts a second at least. */
const WAITED_MS = 900;

/**
 * Checks that this connection and the pool's see each other's row locks. The connection waits no longer than a second for a lock
 * from then on.
 *
 * @throws DriverError `EngineUnsuitable`
 */
export async function verifyRowLocks(
  client: Connection,
  inTransaction: InTransaction,
  { lock, id }: Row,
  answerMs: number,
): Promise<void> {
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, translated(answer), () => cut(client));
  const isLocked = async (on: MysqlTransaction, otherwise: 'SKIP LOCKED' | 'NOWAIT'): Promise<boolean> =>
    (await read(on, lock(otherwise).replace('?', String(id)))).length > 0;
  const limited = answered(client.query(SHORT_WAIT));
  limited.catch(() => {});
  let skipped: Promise<unknown> = limited;
  const probe = (tx: MysqlTransaction) => ({
    lock: () => isLocked(tx, 'SKIP LOCKED'),
    lockSkipping() {
      const isTaken = limited.then(() => answered(isLocked(client, 'SKIP LOCKED')));
      skipped = isTaken;
      return isTaken;
    },
    async lockAtOnce() {
      await skipped;
      const began = performance.now();
      return answered(isLocked(client, 'NOWAIT')).catch((error: unknown) => {
        throw performance.now() - began < WAITED_MS ? refused(error) : error;
      });
    },
    confirm: () => tx.query('DO 0'),
  });
  // A worker that starts does not wait for the commit too, as nothing was written.
  await new Promise<void>((resolve, reject) => {
    inTransaction((tx) => verifyLocks(probe(tx)).then(resolve)).catch((error: unknown) =>
      reject(unaccepted(toDriverError(error))),
    );
  });
}

function refused(error: unknown): unknown {
  if (!isDriverError(error, 'LockTimeout')) return error;
  return new DriverError('LockNotAvailable', error.message, { cause: error });
}
