import type { Pool, PoolClient } from 'pg';
import { type PostgresTransaction, query } from '../query.js';
import { takeConnection } from './connection.js';
import type { SessionSettings } from './session-settings.js';

interface Bounds {
  readonly settings: SessionSettings;
  /** How long to wait for a connection, in milliseconds. */
  readonly answerMs: number;
}

/**
 * Works on a connection without a bound on the time. The bounds of claims that the connection has carried are reset before: from
 * Postgres 17 on they also say how long a transaction may last.
 */
export async function withoutTimeout<Answer>(
  pool: Pool,
  { settings, answerMs }: Bounds,
  work: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await takeConnection(pool, answerMs);
  let isBroken = true;
  try {
    if (settings.unbind(client)) await query(client, 'RESET ALL');
    const answer = await work(client);
    isBroken = false;
    return answer;
  } finally {
    client.release(isBroken);
  }
}

/** The pool, each statement without a bound on its time. */
export function poolWithoutTimeout(pool: Pool, bounds: Bounds): PostgresTransaction {
  return { query: (text, values) => withoutTimeout(pool, bounds, (client) => client.query(text, values)) };
}
