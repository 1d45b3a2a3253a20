import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import { unaccepted, verifyLocks } from '@rowlock/sql-drivers';
import type { Client } from 'pg';
import { toDriverError } from '../errors.js';
import type { PostgresTransaction } from '../query.js';
import { cut } from './connection.js';

/** How long a lock of the probe may wait, in milliseconds. None should wait at all. */
const PROBE_WAIT_MS = 500;

/** How claims, and what workers do beside them, lock their rows. */
export type LockClause =
  | 'FOR NO KEY UPDATE SKIP LOCKED'
  | 'FOR UPDATE SKIP LOCKED'
  | 'FOR NO KEY UPDATE NOWAIT';

/** A row, and the statement that locks it. */
interface Row {
  readonly lock: (clause: LockClause) => string;
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
  const limit = `SET LOCAL lock_timeout = ${PROBE_WAIT_MS}`;
  /** Whether a statement of this text has locked the row. Without `BEGIN` the text is one transaction, with which the limit ends. */
  const locked = async (on: PostgresTransaction, ...statements: readonly string[]): Promise<boolean> => {
    // The answers of several statements are an array, and that of one alone is not: a server may lose the others.
    const answers: unknown[] = [await on.query(statements.join('; ').replaceAll('$1', String(id)))];
    return answers.flat().some((answer) => Object(answer).rows?.length > 0);
  };
  const translated = (answer: Promise<boolean>): Promise<boolean> =>
    answer.catch((error: unknown) => {
      throw toDriverError(error);
    });
  const skipping = [lock('FOR NO KEY UPDATE SKIP LOCKED'), lock('FOR UPDATE SKIP LOCKED')];
  const probe = {
    lock: () => translated(bounded(locked(client, 'BEGIN', limit, lock('FOR UPDATE SKIP LOCKED')))),
    lockSkipping: () => translated(locked(pool, limit, ...skipping)),
    lockAtOnce: () => translated(locked(pool, limit, lock('FOR NO KEY UPDATE NOWAIT'))),
    confirm: () => bounded(client.query('SELECT')),
  };
  try {
    await verifyLocks(probe);
    const { command } = await bounded(client.query('COMMIT'));
    if (command !== 'COMMIT')
      throw new DriverError('Unknown', `COMMIT was answered by ${command ?? 'nothing'}.`);
  } catch (error) {
    await bounded(client.query('ROLLBACK')).catch(() => {});
    throw unaccepted(toDriverError(error));
  }
}
