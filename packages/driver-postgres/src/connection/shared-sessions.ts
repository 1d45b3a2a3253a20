import { answerWithin } from '@rowlock/core/driver';
import type { Client, Pool } from 'pg';
import { toDriverError } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { cut, takeConnection } from './connection.js';

/** How often two connections are compared: a busy pooler may by chance give out the same session again. */
const ROUNDS = 3;

/** How long a pooler that has no session left may keep a question, in milliseconds. Then this round has no answer. */
const ANSWER_MS = 1_000;

/** After how long without an answer there is nobody, in milliseconds. */
const SILENT_MS = 10_000;

/**
 * Whether connections share the server's sessions, as behind a pooler in transaction mode. They do when another connection's
 * open transaction is in this one's session, or when this one's session changes meanwhile: on connections that go to the
 * server itself neither can be.
 *
 * @throws DriverError
 */
export async function sharesSessions(
  pool: Pool,
  connect: () => Client,
  sql: Pick<Statements, 'backend'>,
): Promise<boolean> {
  const client = connect();
  // What breaks it is told by what was asked last.
  client.on('error', () => {});
  try {
    await client.connect();
    for (let round = 0; round < ROUNDS; round++) if (await changes(client, pool, sql)) return true;
    return false;
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await answered(client, client.end()).catch(() => {});
  }
}

async function changes(client: Client, pool: Pool, sql: Pick<Statements, 'backend'>): Promise<boolean> {
  const own = await backend(client, sql);
  const other = await takeConnection(pool, ANSWER_MS);
  let again: Promise<number>;
  try {
    await answered(other, other.query('BEGIN'));
    if ((await backend(other, sql)) === own) return true;
    again = backend(client, sql);
    // Answered when the other transaction has ended, if not before.
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

async function backend(on: PostgresTransaction, sql: Pick<Statements, 'backend'>): Promise<number> {
  const [row] = await answered(on, query<{ pid: number }>(on, sql.backend));
  return row?.pid ?? 0;
}

function answered<Answer>(client: object, answer: Promise<Answer>): Promise<Answer> {
  return answerWithin(SILENT_MS, answer, () => cut(client));
}
