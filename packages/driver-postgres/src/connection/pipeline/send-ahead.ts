import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import type { Context } from '../../context.js';
import { query } from '../../query.js';
import { cut } from '../connection.js';

/** Statements that are made when they are about to be sent. */
export type Batch = () => readonly Statement[];

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** How many statements may be on their way to the server: each is held in memory till then. */
const AHEAD = 4;

/**
 * Sends statements one after the other. A connection that pipelines gets the next ones before the first is answered: so the server works
 * on one while the next is made.
 *
 * @throws DriverError, of the first one that fails
 */
export async function sendAhead<Row extends QueryResultRow>(
  client: PoolClient,
  { answerMs }: Pick<Context, 'answerMs'>,
  batches: readonly Batch[],
): Promise<Row[]> {
  const sent: Promise<Row[]>[] = [];
  /** The time of an answer counts from the answer before it. */
  const answered = async (answer: Promise<Row[]>, before = sent.at(-1)): Promise<Row[]> => {
    // Behind an answer that does not come, it is not read.
    answer.catch(() => {});
    await before;
    return answerWithin(answerMs, answer, () => cut(client));
  };
  const send = async ({ text, values }: Statement): Promise<void> => {
    await sent.at(pipelines(client) ? -AHEAD : -1);
    sent.push(answered(query<Row>(client, text, values)));
  };
  try {
    for (const batch of batches) for (const statement of batch()) await send(statement);
    return (await Promise.all(sent)).flat();
  } catch (error) {
    // When a statement could not be made, those before it are still to be answered.
    await Promise.allSettled(sent);
    throw error;
  }
}

/** Whether the client sends statements ahead of answers. Another one would keep them, which pg warns of. */
function pipelines(client: PoolClient): boolean {
  return Object(client).pipeline === true;
}
