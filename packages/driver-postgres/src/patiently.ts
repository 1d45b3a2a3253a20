import type { Pool, PoolClient } from 'pg';
import type { OwnSessions } from './own-sessions.js';
import { type PostgresTransaction, query } from './query.js';
import { takeConnection } from './session.js';

interface Patience {
  readonly own: OwnSessions;
  /** How long a connection is waited for, in milliseconds. */
  readonly answerMs: number;
}

/**
 * Asks something that may take as long as it takes: what bounds the claims that a connection of the driver's own pool has carried,
 * from Postgres 17 on also how long a transaction may last, is taken back before.
 */
export async function patiently<Answer>(
  pool: Pool,
  { own, answerMs }: Patience,
  ask: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await takeConnection(pool, answerMs);
  let isBroken = true;
  try {
    if (own.unbind(client)) await query(client, 'RESET ALL');
    const answer = await ask(client);
    isBroken = false;
    return answer;
  } finally {
    client.release(isBroken);
  }
}

/** The pool as something that can be asked so. */
export function patientPool(pool: Pool, patience: Patience): PostgresTransaction {
  return { query: (text, values) => patiently(pool, patience, (client) => client.query(text, values)) };
}
