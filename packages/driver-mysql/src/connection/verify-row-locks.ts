import { DriverError, isDriverError } from '@rowlock/core';
import { answerWithin, PROBE_WAIT_MS, verifyLocks } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import type { GateCallParts } from '../claims/limit-call.js';
import { toDriverError } from '../errors.js';
import { withBoundedWaits } from '../jobs/wait-limit.js';
import type { MysqlTransaction } from '../query.js';
import { query } from '../query.js';
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
  bounded: GateCallParts,
  { lock, id }: Row,
): Promise<void> {
  const { answerMs } = bounded.context;
  const isLocked = async (on: MysqlTransaction, otherwise: 'SKIP LOCKED' | 'NOWAIT'): Promise<boolean> =>
    (await query(on, lock(otherwise), [id])).length > 0;
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  const beside = (otherwise: 'SKIP LOCKED' | 'NOWAIT'): Promise<boolean> =>
    withBoundedWaits(bounded, PROBE_WAIT_MS, async ({ on }) => {
      const began = performance.now();
      return isLocked(on, otherwise).catch((error: unknown) => {
        throw performance.now() - began < WAITED_MS ? refused(error) : error;
      });
    });
  const probe = {
    async lock() {
      await answered(client.query('START TRANSACTION'));
      return answered(isLocked(client, 'SKIP LOCKED'));
    },
    lockSkipping: () => beside('SKIP LOCKED'),
    lockAtOnce: () => beside('NOWAIT'),
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
