import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import { cut } from '../connection/connection.js';
import { type Batch, sendAhead } from '../connection/pipeline/send-ahead.js';
import { BEGIN, COMMIT } from '../connection/pipeline/transaction-words.js';
import type { Context } from '../context.js';
import type { QueryConfig } from '../query.js';
import { PostgresStore } from './store.js';

const begin: Batch = () => [{ text: BEGIN.text, values: [] }];
const commit: Batch = () => [{ text: COMMIT.text, values: [] }];

/**
 * Sends statements in a transaction of their own. After an error the caller must close the connection.
 *
 * @throws DriverError, of the first one that fails: then none has taken effect
 */
export function sendInTransaction<Row extends QueryResultRow>(
  client: PoolClient,
  context: Context,
  batches: readonly Batch[],
): Promise<Row[]> {
  return sendAhead(client, context, [begin, ...batches, commit]);
}

/** Does work in a transaction of its own. The store's first statements are pipelined behind the BEGIN. */
export async function inTransaction<Result>(
  client: PoolClient,
  context: Context,
  work: (store: PostgresStore) => Promise<Result>,
): Promise<Result> {
  const result = await work(new StoreInTransaction(client, context));
  await sendAhead(client, context, [commit]);
  return result;
}

class StoreInTransaction extends PostgresStore {
  readonly #client: PoolClient;
  #ahead: readonly Batch[] = [begin];

  constructor(client: PoolClient, context: Context) {
    const { answerMs } = context;
    super(context, {
      query: <Row extends QueryResultRow>(statement: QueryConfig) =>
        answerWithin(answerMs, client.query<Row>(statement), () => cut(client)),
    });
    this.#client = client;
  }

  protected override sendAll<Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> {
    const ahead = this.#ahead;
    this.#ahead = [];
    return sendAhead(this.#client, this.context, [...ahead, ...batches]);
  }
}
