import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import { cut } from '../connection/connection.js';
import { askAhead } from '../connection/pipeline/send-ahead.js';
import { BEGIN, COMMIT } from '../connection/pipeline/transaction-words.js';
import type { Context } from '../context.js';
import { PostgresStore, type Question } from './store.js';

const begin: Question = () => [{ text: BEGIN.text, values: [] }];
const commit: Question = () => [{ text: COMMIT.text, values: [] }];

/**
 * Asks questions in a transaction of their own. Whoever gives the connection closes it when this throws.
 *
 * @throws DriverError, of the first one that fails: then none has taken effect
 */
export function askInTransaction<Row extends QueryResultRow>(
  client: PoolClient,
  context: Context,
  questions: readonly Question[],
): Promise<Row[]> {
  return askAhead(client, context, [begin, ...questions, commit]);
}

/** The same where what is asked depends on the answers. The store's first question is sent along with the BEGIN. */
export async function inTransaction<Result>(
  client: PoolClient,
  context: Context,
  work: (store: PostgresStore) => Promise<Result>,
): Promise<Result> {
  const result = await work(new StoreInTransaction(client, context));
  await askAhead(client, context, [commit]);
  return result;
}

class StoreInTransaction extends PostgresStore {
  readonly #client: PoolClient;
  #ahead: readonly Question[] = [begin];

  constructor(client: PoolClient, context: Context) {
    const { answerMs } = context;
    super(context, {
      query: (text, values) => answerWithin(answerMs, client.query(text, values), () => cut(client)),
    });
    this.#client = client;
  }

  protected override askAll<Row extends QueryResultRow>(questions: readonly Question[]): Promise<Row[]> {
    const ahead = this.#ahead;
    this.#ahead = [];
    return askAhead(this.#client, this.context, [...ahead, ...questions]);
  }
}
