import { answerWithin, PROBE_WAIT_MS, verifyLocks } from '@rowlock/core/driver';
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
  /** One text, which is one transaction: the limit ends with it. */
  const locked = async (otherwise: 'SKIP LOCKED' | 'NOWAIT'): Promise<boolean> => {
    const text = lock(otherwise).replace('$1', String(id));
    const answer: unknown = await pool
      .query(`SET LOCAL lock_timeout = ${PROBE_WAIT_MS}; ${text}`)
      .catch((error: unknown) => {
        throw toDriverError(error);
      });
    return Array.isArray(answer) && answer[1]?.rows.length > 0;
  };
  const probe = {
    async lock() {
      await outside.open(client);
      await bounded(client.query('BEGIN'));
      return bounded(isLocked(client));
    },
    lockSkipping: () => locked('SKIP LOCKED'),
    lockAtOnce: () => locked('NOWAIT'),
    confirm: () => bounded(client.query('SELECT')),
  };
  try {
    await verifyLocks(probe);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await bounded(client.end()).catch(() => {});
  }
}
