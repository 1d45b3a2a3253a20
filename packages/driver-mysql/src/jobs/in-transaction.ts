import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { takeConnection } from '../connection/connection.js';
import { cut } from '../connection/session.js';
import { toDriverError } from '../errors.js';
import type { MysqlTransaction } from '../query.js';

/** Runs statements in a transaction. @param answerMs The timeout of the transaction, in milliseconds; default: that of one statement. */
export type InTransaction = <Result>(
  work: (tx: MysqlTransaction) => Promise<Result>,
  answerMs?: number,
) => Promise<Result>;

interface Limits {
  /** The timeout for a free connection, in milliseconds. */
  readonly connectionMs: number;
  /** The timeout of the transaction after that, in milliseconds. */
  readonly answerMs: number;
}

/** Runs statements in a transaction on a connection of the pool. @throws DriverError */
export async function inTransaction<Result>(
  pool: Pool,
  { connectionMs, answerMs }: Limits,
  work: (tx: MysqlTransaction) => Promise<Result>,
): Promise<Result> {
  const client = await takeConnection(pool, connectionMs);
  try {
    return await transactionOn(client, answerMs, work);
  } finally {
    client.release();
  }
}

/** Runs statements in a transaction on this connection. Destroys it unless the transaction has ended. @throws DriverError */
export async function transactionOn<Result>(
  client: PoolConnection,
  answerMs: number,
  work: (tx: MysqlTransaction) => Promise<Result>,
): Promise<Result> {
  try {
    const transaction = async (): Promise<Result> => {
      // The connection has the isolation level already: see prepareSession.
      await client.query('START TRANSACTION');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    };
    return await answerWithin(answerMs, transaction(), () => cut(client));
  } catch (error) {
    const cause = toDriverError(error);
    if (cause.code === 'ConnectionLost') client.destroy();
    else await rollback(client, answerMs);
    throw cause;
  }
}

/** When the error is thrown, no lock is left. The server gives back those of a destroyed connection a moment later. */
async function rollback(client: PoolConnection, answerMs: number): Promise<void> {
  try {
    await answerWithin(answerMs, client.query('ROLLBACK'), () => cut(client));
  } catch {
    client.destroy();
  }
}
