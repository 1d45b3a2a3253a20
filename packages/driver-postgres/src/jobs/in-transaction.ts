import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import { giveUp } from '../connection/connection.js';
import { type Batch, sendAhead } from '../connection/pipeline/send-ahead.js';
import { BEGIN, COMMIT } from '../connection/pipeline/transaction-words.js';
import type { Context } from '../context.js';
import type { Queryable, QueryConfig } from '../query.js';
import { openScope, type Scope } from './scope.js';

const beginBy =
  (text: string): Batch =>
  () => [{ text, values: [] }];
const begin = beginBy(BEGIN.text);
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
 * Does work in a transaction of its own. Its first statements are pipelined behind the BEGIN.
 *
 * @param waitMs How long a statement may wait for a lock. Default: as long as for an answer.
 * @param beginning The words that begin it.
 */
export async function inTransaction<Result>(
  client: PoolClient,
  context: Context,
  work: (scope: Scope) => Promise<Result>,
  waitMs?: number,
  beginning: string = BEGIN.text,
): Promise<Result> {
  const bound: readonly Batch[] =
    waitMs === undefined ? [] : [() => [{ text: context.sql.enqueues.boundWaits, values: [`${waitMs}ms`] }]];
  const result = await work(scopeBehind(client, context, [beginBy(beginning), ...bound]));
  await sendAhead(client, context, [commit]);
  return result;
}

/** @param first What goes to the server ahead of the first statement. */
function scopeBehind(client: PoolClient, context: Context, first: readonly Batch[]): Scope {
  const { answerMs } = context;
  let ahead = first;
  const sendAll = <Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> => {
    const all = [...ahead, ...batches];
    ahead = [];
    return sendAhead(client, context, all);
  };
  const on: Queryable = {
    async query<Row extends QueryResultRow>(statement: QueryConfig) {
      await sendAll([]);
      return answerWithin(answerMs, client.query<Row>(statement), () => giveUp(client, statement, answerMs));
    },
  };
  return { ...openScope(on), sendAll };
}
