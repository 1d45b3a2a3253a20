import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import { giveUp } from '../connection/connection.js';
import { type Batch, sendAhead } from '../connection/pipeline/send-ahead.js';
import { BEGIN, COMMIT } from '../connection/pipeline/transaction-words.js';
import type { Context } from '../context.js';
import type { Queryable, QueryConfig } from '../query.js';
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

/**
 * Does work in a transaction of its own. The store's first statements are pipelined behind the BEGIN.
 *
 * @param waitMs How long a statement may wait for a lock. Default: as long as for an answer.
 */
export async function inTransaction<Result>(
  client: PoolClient,
  context: Context,
  work: (store: PostgresStore, on: Queryable) => Promise<Result>,
  waitMs?: number,
): Promise<Result> {
  const bound: readonly Batch[] =
    waitMs === undefined ? [] : [() => [{ text: context.sql.boundWaits, values: [`${waitMs}ms`] }]];
  const store = new StoreInTransaction(client, context, [begin, ...bound]);
  const result = await work(store, store.transaction);
  await sendAhead(client, context, [commit]);
  return result;
}

class StoreInTransaction extends PostgresStore {
  readonly #client: PoolClient;
  #ahead: readonly Batch[];

  /** @param ahead What goes to the server ahead of the first statement. */
  constructor(client: PoolClient, context: Context, ahead: readonly Batch[]) {
    const { answerMs } = context;
    super(context, {
      query: async <Row extends QueryResultRow>(statement: QueryConfig) => {
        await this.sendAll([]);
        return answerWithin(answerMs, client.query<Row>(statement), () =>
          giveUp(client, statement, answerMs),
        );
      },
    });
    this.#client = client;
    this.#ahead = ahead;
  }

  /** For other statements of the transaction. */
  get transaction(): Queryable {
    return this.on;
  }

  protected override sendAll<Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> {
    const ahead = this.#ahead;
    this.#ahead = [];
    return sendAhead(this.#client, this.context, [...ahead, ...batches]);
  }
}
