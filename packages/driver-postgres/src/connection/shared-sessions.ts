import { answerWithin } from '@rowlock/core/driver';
import type { Client, ClientBase, Pool } from 'pg';
import { toUnsent } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { cut, socketOf, takeConnection } from './connection.js';

/** How often two connections are compared. A busy pooler may by chance give the same session again. */
const ROUNDS = 3;

/** The same where both sessions have the numbers that the server gave at the connection, as behind a NAT: each is a comparison too. */
const NUMBERED_ROUNDS = 1;

/** How long a pooler without a free session may delay a query, in milliseconds. After that the round has no answer. */
const ANSWER_MS = 1_000;

/** The timeout after which the server counts as unreachable, in milliseconds. */
const SILENT_MS = 10_000;

/**
 * Whether connections share the server's sessions, as behind a pooler in transaction mode. Two direct connections share none.
 * Otherwise two signs show sharing.
 * Either another connection's open transaction is in this connection's session, or this connection's session changes meanwhile.
 * Neither can happen on direct connections to the server.
 *
 * @param client Another connection than the pool's.
 * @throws DriverError
 */
export async function sharesSessions(
  client: Client,
  pool: Pool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<boolean> {
  try {
    const { hasNumber, hasPort } = await originOfBoth(client, pool, sql);
    if (hasNumber && hasPort) return false;
    const rounds = hasNumber ? NUMBERED_ROUNDS : ROUNDS;
    for (let round = 0; round < rounds; round++) if (await changes(client, pool, sql)) return true;
    return false;
  } catch (error) {
    throw toUnsent(error);
  }
}

/** How a connection comes to the server. */
interface Origin {
  /** Whether the session has the number that the server gave at the connection. A pooler gives a number of its own. */
  readonly hasNumber: boolean;
  /** Whether it comes from the port from which it leaves here. By chance a pooler's port may be that of its client. */
  readonly hasPort: boolean;
}

async function originOfBoth(
  client: Client,
  pool: Pool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<Origin> {
  const own = originOf(client, sql);
  own.catch(() => {});
  const other = await takeConnection(pool, ANSWER_MS);
  try {
    const [one, two] = [await originOf(other, sql), await own];
    return { hasNumber: one.hasNumber && two.hasNumber, hasPort: one.hasPort && two.hasPort };
  } finally {
    other.release();
  }
}

async function originOf(on: ClientBase, sql: Pick<Statements['anchor'], 'backend'>): Promise<Origin> {
  const { localPort } = Object(socketOf(on));
  const { pid, port } = await backend(on, sql);
  return {
    hasNumber: pid === Object(on).processID,
    hasPort: localPort !== undefined && port === localPort,
  };
}

async function changes(
  client: Client,
  pool: Pool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<boolean> {
  const { pid: own } = await backend(client, sql);
  const other = await takeConnection(pool, ANSWER_MS);
  let again: Promise<Backend>;
  try {
    await answered(other, other.query('BEGIN'));
    if ((await backend(other, sql)).pid === own) return true;
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
  return (await again).pid !== own;
}

/** A session on the server, and the port from which it is connected to. */
interface Backend {
  readonly pid: number;
  readonly port?: number | null;
}

async function backend(
  on: PostgresTransaction,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<Backend> {
  const [row] = await answered(on, query<Backend & { [column: string]: unknown }>(on, sql.backend));
  return row ?? { pid: 0 };
}

function answered<Answer>(client: object, answer: Promise<Answer>): Promise<Answer> {
  return answerWithin(SILENT_MS, answer, () => cut(client));
}
