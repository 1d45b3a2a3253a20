import { answerWithin } from '@rowlock/core/driver';
import type { Pool } from 'mysql2/promise';
import { takeConnection } from '../connection/connection.js';
import { cut } from '../connection/session.js';
import { toDriverError } from '../errors.js';
import type { MysqlTransaction } from '../query.js';

/** Runs statements in a transaction. @param answerMs How long it may take, in milliseconds; default: as long as one statement. */
export type InTransaction = <Result>(
  work: (tx: MysqlTransaction) => Promise<Result>,
  answerMs?: number,
) => Promise<Result>;

interface Limits {
  /** How long it may take until a connection is free, in milliseconds. */
  readonly connectionMs: number;
  /** How long the transaction may take then, in milliseconds. */
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
    const transaction = async (): Promise<Result> => {
      // The isolation level is the connection's: see prepareSession.
      await client.query('START TRANSACTION');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    };
    const result = await answerWithin(answerMs, transaction(), () => cut(client));
    client.release();
    return result;
  } catch (error) {
    client.destroy();
    throw toDriverError(error);
  }
}
