import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import { ownHandle } from '@rowlock/sql-drivers';
import type { PoolClient } from 'pg';
import { toDriverError } from '../errors.js';
import type { PostgresTransaction } from '../query.js';
import { cut } from './connection.js';
import { BEGIN, COMMIT } from './pipeline/transaction-words.js';

/** Does work in a transaction, with a bound on the time of the whole. After an error the caller must close the connection. */
export function ownTransaction<Result>(
  client: PoolClient,
  answerMs: number,
  work: (tx: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  const send = (text: string) =>
    client.query(text).catch((error: unknown) => {
      throw toDriverError(error);
    });
  const transaction = async (): Promise<Result> => {
    await send(BEGIN.text);
    const result = await work(ownHandle({ query: (text, values) => client.query(text, values) }));
    const { command } = await send(COMMIT.text);
    // The server's answer to the COMMIT of a transaction in which a statement has failed.
    if (command === 'ROLLBACK')
      throw new DriverError(
        'TransactionOver',
        'A statement of the transaction had failed, so nothing was done.',
      );
    return result;
  };
  return answerWithin(answerMs, transaction(), () => cut(client));
}
