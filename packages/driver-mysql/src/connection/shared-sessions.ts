import { answerWithin } from '@rowlock/core/driver';
import { toDriverError } from '../errors.js';
import { type MysqlTransaction, read } from '../query.js';
import type { Statements } from '../statements.js';
import { cut, hasOwnNumber } from './session.js';

interface Pooled extends MysqlTransaction {
  release(): void;
}

/** How often two connections are compared. A busy proxy may by chance give the same session again. */
const ROUNDS = 3;

/** The same where the session has the number that the server gave at the connection, as behind a NAT: that is a comparison too. */
const NUMBERED_ROUNDS = 1;

/** How long a proxy without a free session may delay a statement, in milliseconds. After that the round has no result. */
const ANSWER_MS = 1_000;

/** The timeout of any answer, in milliseconds. The same as the timeout for connecting. */
const SILENT_MS = 10_000;

/**
 * Whether connections share the server's sessions, as behind a proxy that multiplexes. Two signs show sharing.
 * Either another connection's open transaction is in this connection's session, or this connection's session changes meanwhile.
 * Neither can happen on direct connections to the server.
 *
 * @param client Another connection than those that are taken.
 * @throws DriverError
 */
export async function sharesSessions(
  client: MysqlTransaction,
  take: () => Promise<Pooled>,
  sql: Pick<Statements['anchor'], 'self'>,
): Promise<boolean> {
  try {
    if (await isDirect(client)) return false;
    const rounds = hasOwnNumber(client) ? NUMBERED_ROUNDS : ROUNDS;
    for (let round = 0; round < rounds; round++) if (await changes(client, take, sql)) return true;
    return false;
  } catch (error) {
    throw toDriverError(error);
  }
}

/**
 * Whether the server has this client's session under the number that it gave at the connection, and on the client's own port. A proxy
 * gives a number of its own, and by chance its port may be that of its client. The pool connects to the same address.
 */
async function isDirect(client: MysqlTransaction): Promise<boolean> {
  const { threadId, stream } = Object(Object(client).connection);
  const port = stream?.localPort;
  if (port === undefined) return false;
  const sessions = await answered(client, read<{ Id: number; Host: string }>(client, 'SHOW PROCESSLIST'));
  const own = sessions.find(({ Id }) => Number(Id) === threadId);
  return own?.Host.endsWith(`:${port}`) === true;
}

async function changes(
  client: MysqlTransaction,
  take: () => Promise<Pooled>,
  sql: Pick<Statements['anchor'], 'self'>,
): Promise<boolean> {
  const before = await connectionId(client, sql);
  const other = await take();
  let again: Promise<string>;
  try {
    await answered(other, other.query('START TRANSACTION READ WRITE'));
    if ((await connectionId(other, sql)) === before) return true;
    again = connectionId(client, sql);
    // A proxy without a free session answers only after the other transaction has ended.
    await answerWithin(ANSWER_MS, again).catch(() => {});
  } finally {
    await answered(other, other.query('ROLLBACK')).catch(() => {});
    other.release();
  }
  return (await again) !== before;
}

async function connectionId(on: MysqlTransaction, sql: Pick<Statements['anchor'], 'self'>): Promise<string> {
  const [row] = await answered(on, read<{ connection: string }>(on, sql.self));
  return row?.connection ?? '';
}

/** Cuts a connection whose server is silent. */
function answered<Answer>(on: MysqlTransaction, answer: Promise<Answer>): Promise<Answer> {
  return answerWithin(SILENT_MS, answer, () => cut(on));
}
