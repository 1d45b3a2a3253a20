import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolClient } from 'pg';
import { type PostgresTransaction, query } from '../query.js';
import { cut, releaseBehindError, takeConnection } from './connection.js';
import type { SessionSettings } from './session-settings.js';

interface Bounds {
  readonly settings: SessionSettings;
  /** The timeout for a free connection, and again for the reset of its bounds, in milliseconds. */
  readonly answerMs: number;
}

/**
 * Works on a connection without a timeout. The connection's bounds of earlier claims are reset first:
 * from Postgres 17 on they also bound the duration of a transaction.
 */
export async function withoutTimeout<Answer>(
  pool: Pool,
  { settings, answerMs }: Bounds,
  work: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await takeConnection(pool, answerMs);
  try {
    const reset = settings.unbind(client);
    if (reset !== null) await answerWithin(answerMs, query(client, reset), () => cut(client));
    const answer = await work(client);
    client.release();
    return answer;
  } catch (error) {
    await releaseBehindError(client, answerMs);
    throw error;
  }
}

/** The pool: each statement runs without a timeout. */
export function poolWithoutTimeout(pool: Pool, bounds: Bounds): PostgresTransaction {
  return { query: (text, values) => withoutTimeout(pool, bounds, (client) => client.query(text, values)) };
}
