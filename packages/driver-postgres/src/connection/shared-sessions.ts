import { answerWithin } from '@rowlock/core/driver';
import type { Client, ClientBase, Pool } from 'pg';
import { toUnsent } from '../errors.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { cut, socketOf, takeConnection } from './connection.js';

/** How often two connections are compared. A busy pooler may by chance give the same session again. */
const ROUNDS = 3;

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
    if (await areDirect(client, pool, sql)) return false;
    for (let round = 0; round < ROUNDS; round++) if (await changes(client, pool, sql)) return true;
    return false;
  } catch (error) {
    throw toUnsent(error);
  }
}

/** Whether both connections come to the server as they leave here. */
async function areDirect(
  client: Client,
  pool: Pool,
  sql: Pick<Statements['anchor'], 'backend'>,
): Promise<boolean> {
  const own = isDirect(client, sql);
  own.catch(() => {});
  const other = await takeConnection(pool, ANSWER_MS);
  try {
    return (await isDirect(other, sql)) && (await own);
  } finally {
    other.release();
  }
}

/**
 * Whether the session is the one that was made for this connection: it has the number that the server gave at the connection, and
 * the port. A pooler gives a number of its own, and by chance its port may be that of its client.
 */
async function isDirect(on: ClientBase, sql: Pick<Statements['anchor'], 'backend'>): Promise<boolean> {
  const { localPort } = Object(socketOf(on));
  const { pid, port } = await backend(on, sql);
  return localPort !== undefined && port === localPort && pid === Object(on).processID;
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
