import type { Pool, QueryResultRow } from 'pg';
import { query } from './query.js';
import { takeConnection } from './session.js';
import type { Statements } from './statements.js';
import type { Question } from './store.js';

/**
 * Asks questions in a transaction of their own. Each is sent as soon as it is made, where the connection takes a statement before the
 * one ahead is answered: so the server works on it while the next is made.
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
  try {
    asked.push(query(client, begin));
    for (const question of questions) {
      const { text, values } = question();
      asked.push(query<Row>(client, text, values));
    }
    asked.push(query(client, 'COMMIT'));
    const rows = await Promise.all(asked);
    isBroken = false;
    return rows.flat();
  } finally {
    // When one could not be made, those before it are still to be answered.
    if (isBroken) await Promise.allSettled(asked);
    client.release(isBroken);
  }
}
