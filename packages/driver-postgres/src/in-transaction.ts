import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { query } from './query.js';
import { takeConnection } from './session.js';
import type { Statements } from './statements.js';
import type { Question } from './store.js';

/**
 * Asks questions in a transaction of their own. Each is sent as soon as it is made, where the connection takes a statement before the
 * one ahead is answered, and else when that has been: so the server works on it while the next is made.
 *
 * @throws DriverError, of the first one that fails: then none has taken effect
 */
export async function inTransaction<Row extends QueryResultRow>(
  pool: Pool,
  { begin }: Pick<Statements, 'begin'>,
  questions: readonly Question[],
): Promise<Row[]> {
  const client = await takeConnection(pool);
  const asked: Promise<Row[]>[] = [];
  let isBroken = true;
  const ask = async ({ text, values }: ReturnType<Question>): Promise<void> => {
    if (!pipelines(client)) await asked.at(-1);
    asked.push(query<Row>(client, text, values));
  };
  try {
    await ask({ text: begin, values: [] });
    for (const question of questions) await ask(question());
    await ask({ text: 'COMMIT', values: [] });
    const rows = await Promise.all(asked);
    isBroken = false;
    return rows.flat();
  } finally {
    // When one could not be made, those before it are still to be answered.
    if (isBroken) await Promise.allSettled(asked);
    client.release(isBroken);
  }
}

/** Whether statements are sent ahead of the answers to those before them. Others the client would keep, which pg warns of. */
function pipelines(client: PoolClient): boolean {
  return Object(client).pipeline === true;
}
