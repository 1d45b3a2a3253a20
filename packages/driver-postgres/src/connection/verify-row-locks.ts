import { answerWithin } from '@rowlock/core/driver';
import { verifyLocks } from '@rowlock/sql-drivers';
import type { Client } from 'pg';
import { toDriverError } from '../errors.js';
import type { PostgresTransaction } from '../query.js';
import { cut } from './connection.js';

/** How long a lock of the pool may wait, in milliseconds. None should wait at all. */
const PROBE_WAIT_MS = 500;

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (otherwise: 'SKIP LOCKED' | 'NOWAIT') => string;
  readonly id: number;
}

/** Checks that this connection and the pool's see each other's row locks. @throws DriverError `EngineUnsuitable` */
export async function verifyRowLocks(
  client: Client,
  pool: PostgresTransaction,
  { lock, id }: Row,
  answerMs: number,
): Promise<void> {
  const bounded = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answerWithin(answerMs, answer, () => cut(client));
  /** Whether the row is locked, by a text of two statements. */
  const locked = async (
    on: PostgresTransaction,
    first: string,
    otherwise: 'SKIP LOCKED' | 'NOWAIT',
  ): Promise<boolean> => {
    const answer: unknown = await on
      .query(`${first}; ${lock(otherwise).replace('$1', String(id))}`)
      .catch((error: unknown) => {
        throw toDriverError(error);
      });
    return Array.isArray(answer) && answer[1]?.rows.length > 0;
  };
  // The text is one transaction: the limit ends with it.
  const limit = `SET LOCAL lock_timeout = ${PROBE_WAIT_MS}`;
  const probe = {
    lock: () => bounded(locked(client, 'BEGIN', 'SKIP LOCKED')),
    lockSkipping: () => locked(pool, limit, 'SKIP LOCKED'),
    lockAtOnce: () => locked(pool, limit, 'NOWAIT'),
    confirm: () => bounded(client.query('SELECT')),
  };
  try {
    await verifyLocks(probe);
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await bounded(client.query('ROLLBACK')).catch(() => {});
  }
}
