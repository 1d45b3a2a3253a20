import { answerWithin } from '@rowlock/core/driver';
import { toDriverError } from '../errors.js';
import { type MysqlTransaction, query } from '../statements/query.js';
import { cut } from './session.js';
import type { Statements } from '../statements/statements.js';

/** A connection outside the pool, and one of the pool. */
interface Own extends MysqlTransaction {
  on(event: 'error', listener: () => void): unknown;
  destroy(): void;
}
interface Pooled extends MysqlTransaction {
  release(): void;
}

/** How often two connections are compared: a busy proxy may by chance give out the same session again. */
const ROUNDS = 3;

/** How long a proxy that has no session left may keep a question, in milliseconds. Then this round has no answer. */
const ANSWER_MS = 1_000;

/** How long an answer may take at all, in milliseconds: as long as connecting. */
const SILENT_MS = 10_000;

/**
 * Whether connections share the server's sessions, as behind a proxy that multiplexes. They do when another connection's open
 * transaction is in this one's session, or when this one's session changes meanwhile: on connections that go to the server
 * itself neither can be.
 *
 * @throws DriverError
 */
export async function sharesSessions(
  take: () => Promise<Pooled>,
  connect: () => Promise<Own>,
  sql: Pick<Statements, 'self'>,
): Promise<boolean> {
  const client = await connect();
  // What breaks it is told by what was asked last.
  client.on('error', () => {});
  try {
    for (let round = 0; round < ROUNDS; round++) if (await changes(client, take, sql)) return true;
    return false;
  } catch (error) {
    throw toDriverError(error);
  } finally {
    client.destroy();
  }
}

async function changes(
  client: Own,
  take: () => Promise<Pooled>,
  sql: Pick<Statements, 'self'>,
): Promise<boolean> {
  const own = await connectionId(client, sql);
  const other = await take();
  let again: Promise<string>;
  try {
    await answered(other, other.query('START TRANSACTION READ WRITE'));
    if ((await connectionId(other, sql)) === own) return true;
    again = connectionId(client, sql);
    // Answered when the other transaction has ended, if not before.
    await answerWithin(ANSWER_MS, again).catch(() => {});
  } finally {
    await answered(other, other.query('ROLLBACK')).catch(() => {});
    other.release();
  }
  return (await again) !== own;
}

async function connectionId(on: MysqlTransaction, sql: Pick<Statements, 'self'>): Promise<string> {
  const [row] = await answered(on, query<{ connection: string }>(on, sql.self));
  return row?.connection ?? '';
}

/** A connection on which nobody answers is cut. */
function answered<Answer>(on: MysqlTransaction, answer: Promise<Answer>): Promise<Answer> {
  return answerWithin(SILENT_MS, answer, () => cut(on));
}
