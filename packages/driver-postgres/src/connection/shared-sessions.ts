import { answerWithin } from '@rowlock/core/driver';
import type { Client, Pool } from 'pg';
import { toDriverError } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { cut, takeConnection } from './connection.js';
import type { OutsidePool } from './outside-pool.js';

/** How often two connections are compared. A busy pooler may by chance give the same session again. */
const ROUNDS = 3;

/** How long a pooler without a free session may delay a query, in milliseconds. After that the round has no answer. */
const ANSWER_MS = 1_000;

/** The timeout after which the server counts as unreachable, in milliseconds. */
const SILENT_MS = 10_000;

/**
 * Whether connections share the server's sessions, as behind a pooler in transaction mode. Two signs show sharing.
 * Either another connection's open transaction is in this connection's session, or this connection's session changes meanwhile.
 * Neither can happen on direct connections to the server.
 *
 * @throws DriverError
 */
export async function sharesSessions(
  pool: Pool,
  outside: OutsidePool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<boolean> {
  const client = outside.client();
  // A lost connection makes the pending statement fail.
  client.on('error', () => {});
  try {
    await outside.open(client);
    for (let round = 0; round < ROUNDS; round++) if (await changes(client, pool, sql)) return true;
    return false;
  } catch (error) {
    throw toDriverError(error, 'ConnectionLost');
  } finally {
    await answered(client, client.end()).catch(() => {});
  }
}

async function changes(
  client: Client,
  pool: Pool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<boolean> {
  const own = await backend(client, sql);
  const other = await takeConnection(pool, ANSWER_MS);
  let again: Promise<number>;
  try {
    await answered(other, other.query('BEGIN'));
    if ((await backend(other, sql)) === own) return true;
    again = backend(client, sql);
    // A pooler without a free session answers only after the other transaction has ended.
    await answerWithin(ANSWER_MS, again).catch(() => {});
  } finally {
    const isBroken = await answered(other, other.query('ROLLBACK')).then(
      () => false,
      () => true,
    );
    other.release(isBroken);
  }
  return (await again) !== own;
}

async function backend(on: PostgresTransaction, sql: Pick<Statements['anchor'], 'backend'>): Promise<number> {
  const [row] = await answered(on, query<{ pid: number }>(on, sql.backend));
  return row?.pid ?? 0;
}

function answered<Answer>(client: object, answer: Promise<Answer>): Promise<Answer> {
  return answerWithin(SILENT_MS, answer, () => cut(client));
}
