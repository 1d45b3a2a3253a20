import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import type { Context } from '../../context.js';
import { query } from '../../query.js';
import { giveUp, pipelines } from '../connection.js';

/** Statements that are built right before they are sent. */
export type Batch = () => readonly Statement[];

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** The most statements on their way to the server. Each stays in memory until its answer. */
const AHEAD = 4;

/**
 * Sends statements in order. A pipelining connection gets the next ones before the first is answered:
 * the server works on one while the next is built.
 *
 * @throws DriverError, of the first one that fails
 */
export async function sendAhead<Row extends QueryResultRow>(
  client: PoolClient,
  { answerMs }: Pick<Context, 'answerMs'>,
  batches: readonly Batch[],
): Promise<Row[]> {
  const sent: Promise<Row[]>[] = [];
  /** The timeout of an answer begins at the answer before it. */
  const answered = async (text: string, answer: Promise<Row[]>, before = sent.at(-1)): Promise<Row[]> => {
    // When an earlier answer fails, no code reads this one.
    answer.catch(() => {});
    await before;
    return answerWithin(answerMs, answer, () => giveUp(client, text, answerMs));
  };
  const send = async ({ text, values }: Statement): Promise<void> => {
    await sent.at(pipelines(client) ? -AHEAD : -1);
    sent.push(answered(text, query<Row>(client, text, values)));
  };
  try {
    for (const batch of batches) for (const statement of batch()) await send(statement);
    return (await Promise.all(sent)).flat();
  } catch (error) {
    // When a statement could not be built, those before it still get their answers.
    await Promise.allSettled(sent);
    throw error;
  }
}
