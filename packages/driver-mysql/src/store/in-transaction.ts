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
  const result = await transactionOn(client, answerMs, work);
  client.release();
  return result;
}

/** Runs statements in a transaction on this connection, which an error destroys. @throws DriverError */
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
    client.destroy();
    throw toDriverError(error);
  }
}
