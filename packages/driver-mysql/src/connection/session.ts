import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { Connection, Pool, PoolConnection } from 'mysql2/promise';
import { toDriverError } from '../errors.js';
import { type MysqlTransaction, query } from '../statements/query.js';

/** A value that does not fit is refused and not cut. Procedures run with what was set when they were made. */
export const STRICT = "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'";

/**
 * What every connection of the driver is set to. REPEATABLE READ would let an empty claim lock the gap into which
 * producers insert. No statement of the driver should ever wait for a lock; if one does, 5 s are enough.
 */
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  `SET SESSION autocommit = 1, innodb_lock_wait_timeout = 5, time_zone = '+00:00', ${STRICT}`,
];

export async function prepareSession(client: Connection): Promise<void> {
  for (const statement of SESSION) await client.query(statement);
  const [row] = await query<Server>(
    client,
    `SELECT ${SERVER} AS digest, VERSION() AS version, CAST(CONNECTION_ID() AS CHAR) AS connection`,
  );
  if (row !== undefined) servers.set(Object(client).connection, row);
}

interface Server {
  /** Which one it is. */
  readonly digest: string;
  readonly version: string;
  /** The number of the connection there. Behind a proxy the client knows another one. */
  readonly connection: string;
}

/**
 * Which server this is, since which of its starts, in hexadecimal digits. MariaDB has no `server_uuid`, and takes it for a comment.
 * UUID_SHORT() counts in its lower 24 bits, and has the time of the start above them.
 */
const SERVER =
  "SHA2(CONCAT_WS(' ', @@hostname, @@port, @@server_id, UUID_SHORT() >> 24 /*!80000 , @@server_uuid */), 224)";

/** The servers of the connections that are set up. */
const servers = new WeakMap<object, Server>();

/**
 * A connection's session as KILL takes it, on any connection. After a fail-over behind an address that stays, or when the server was started
 * again, its number is somebody else's: there it is nobody's.
 */
export function sessionOf(client: Connection, id: number | bigint = connectionOf(client)): string {
  const server = servers.get(Object(client).connection);
  return server === undefined ? String(id) : `IF(${SERVER} = '${server.digest}', ${id}, 0)`;
}

/** The number of a connection on its server. */
export function connectionOf(client: Connection): number {
  const server = servers.get(Object(client).connection);
  return server === undefined ? client.threadId : Number(server.connection);
}

/** Whether a connection that is set up is to a MariaDB. */
export function isMariaDb(client: Connection): boolean {
  return servers.get(Object(client).connection)?.version.includes('MariaDB') ?? false;
}

/** How long setting one up may take: as long as connecting. */
const PREPARED_MS = 10_000;

/** The connections that are set already. */
const prepared = new WeakSet<object>();

const NONE_FREE =
  'No connection of the pool was free, or could be made, in time: give Rowlock more of them, with maxConnections.';

/** A connection of the pool, set up. @param answerMs How long it may take until one is free. @throws DriverError */
export async function takeConnection(pool: Pool, answerMs: number): Promise<PoolConnection> {
  const connecting = pool.getConnection();
  let isLate = false;
  try {
    const client = await answerWithin(answerMs, connecting, () => {
      isLate = true;
      connecting.then(
        (late) => late.release(),
        () => {},
      );
    });
    await prepareOnce(client);
    return client;
  } catch (error) {
    if (isLate) throw new DriverError('ConnectionLost', `${NONE_FREE} (${answerMs} ms)`, { cause: error });
    throw toDriverError(error);
  }
}

/** Sets up a connection that comes out of a pool, unless it has been before. One that cannot be is closed. */
export async function prepareOnce(client: PoolConnection): Promise<void> {
  if (prepared.has(client.connection)) return;
  try {
    await answerWithin(PREPARED_MS, prepareSession(client), () => cut(client));
  } catch (error) {
    client.destroy();
    throw error;
  }
  prepared.add(client.connection);
}

/** The end of a connection that nobody answers on: whoever waits for an answer is told. */
export function cut(client: object): void {
  Object(Object(client).connection).stream?.destroy();
}

/** Ends a pool. What nobody answers on keeps it so long at most. @throws DriverError */
export async function endPool(pool: Pool, answerMs: number): Promise<void> {
  // What is lost meanwhile is closed.
  const ended = pool.end().catch((error: unknown) => {
    if (toDriverError(error).code !== 'ConnectionLost') throw error;
  });
  await answerWithin(answerMs, ended, () => {
    const connections = Object(Object(pool).pool)._allConnections?.toArray() ?? [];
    for (const connection of connections) Object(connection).stream?.destroy();
  });
}

/**
 * The pool as something that can be asked: each statement on whichever connection is free, committed by itself.
 *
 * @param answerMs How long it may take until one is free, and the statement, unless `isPatient`.
 */
export function onPool(pool: Pool, answerMs: number, isPatient = false): MysqlTransaction {
  const use = async <Result>(work: (client: PoolConnection) => Promise<Result>): Promise<Result> => {
    const client = await takeConnection(pool, answerMs);
    try {
      const answer = work(client);
      const result = await (isPatient ? answer : answerWithin(answerMs, answer, () => cut(client)));
      client.release();
      return result;
    } catch (error) {
      // Also one that is sound, to a server that only reads now: a new one may reach the one that writes.
      if (toDriverError(error).code === 'ConnectionLost') client.destroy();
      else client.release();
      throw error;
    }
  };
  return {
    execute: (sql, values) => use((client) => client.execute<never>(sql, values)),
    query: (sql, values) => use((client) => client.query<never>(sql, values)),
  };
}

/** The limit that each connection has now, so that it is set once and not for every claim. */
const idleLimits = new WeakMap<object, number>();

/** Has the server end this connection, and what is open on it, when it idles for longer. A second is the least. */
export async function limitIdle(
  client: PoolConnection,
  sql: (seconds: number) => string,
  idleLimitMs: number,
): Promise<void> {
  const seconds = Math.max(1, idleLimitMs / 1000);
  const connection = client.connection;
  if (idleLimits.get(connection) === seconds) return;
  await client.query(sql(seconds));
  idleLimits.set(connection, seconds);
}
