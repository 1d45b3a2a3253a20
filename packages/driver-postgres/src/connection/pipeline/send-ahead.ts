import { answerWithin } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import type { Context } from '../../context.js';
import { query } from '../../query.js';
import type { Question, Statement } from '../../store/store.js';
import { cut } from '../connection.js';

/** How many statements may be on their way to the server: each is held in memory till then. */
const AHEAD = 4;

/**
 * Asks questions of a connection. Each is sent as soon as it is made, where the connection takes a statement before the one ahead is
 * answered, and else when that has been: so the server works on it while the next is made.
 *
 * @throws DriverError, of the first one that fails
 */
export async function askAhead<Row extends QueryResultRow>(
  client: PoolClient,
  { answerMs }: Pick<Context, 'answerMs'>,
  questions: readonly Question[],
): Promise<Row[]> {
  const asked: Promise<Row[]>[] = [];
  /** The server is at it when it has answered what was asked before. */
  const answered = async (answer: Promise<Row[]>, before = asked.at(-1)): Promise<Row[]> => {
    // Of one behind an answer that does not come, nobody asks.
    answer.catch(() => {});
    await before;
    return answerWithin(answerMs, answer, () => cut(client));
  };
  const ask = async ({ text, values }: Statement): Promise<void> => {
    await asked.at(pipelines(client) ? -AHEAD : -1);
    asked.push(answered(query<Row>(client, text, values)));
  };
  try {
    for (const question of questions) for (const statement of question()) await ask(statement);
    return (await Promise.all(asked)).flat();
  } catch (error) {
    // When one could not be made, those before it are still to be answered.
    await Promise.allSettled(asked);
    throw error;
  }
}

/** Whether statements are sent ahead of the answers to those before them. Others the client would keep, which pg warns of. */
function pipelines(client: PoolClient): boolean {
  return Object(client).pipeline === true;
}
