import type { Connection } from 'mysql2/promise';
import { read } from '../query.js';
import { SESSION } from './session-settings.js';

/** What an application does with each new connection. */
export type OnConnect = (client: Connection) => unknown;

/** Sets up a new connection. The driver's settings come last, and so hold. */
export async function prepareSession(client: Connection, onConnect?: OnConnect): Promise<void> {
  await onConnect?.(client);
  for (const statement of SESSION) await client.query(statement);
  const [row] = await read<Server>(
    client,
    `SELECT ${START} AS digest, VERSION() AS version, CAST(CONNECTION_ID() AS CHAR) AS connection`,
  );
  if (row !== undefined) servers.set(Object(client).connection, row);
}

interface Server {
  /** Identifies the server and its last start. */
  readonly digest: string;
  readonly version: string;
  /** The number of the connection on the server. Behind a proxy the client has another number for it. */
  readonly connection: string;
}

/** Identifies a server. MariaDB has no `server_uuid`, and reads that part as a comment. */
export const SERVER = "CONCAT_WS(' ', @@hostname, @@port, @@server_id /*!80000 , @@server_uuid */)";

/**
 * Identifies a server and its last start, in hexadecimal digits. UUID_SHORT() counts in its lower 24 bits. Above them is the time of the
 * start.
 */
const START = `SHA2(CONCAT_WS(' ', ${SERVER}, UUID_SHORT() >> 24), 224)`;

/** The servers of the connections that are set up. */
const servers = new WeakMap<object, Server>();

/**
 * A connection's session in the form for KILL, on any connection. After a fail-over behind a fixed address, or after a restart, the
 * server may have given the number to another session. The expression is then 0, which is no session's number.
 */
export function sessionOf(client: Connection, id: number | bigint = connectionOf(client)): string {
  const server = servers.get(Object(client).connection);
  return server === undefined ? String(id) : `IF(${START} = '${server.digest}', ${id}, 0)`;
}

/** The number of a connection on its server. */
export function connectionOf(client: Connection): number {
  const server = servers.get(Object(client).connection);
  return server === undefined ? client.threadId : Number(server.connection);
}

/** Whether the session that set a connection up has the number that the server gave at the connection. A proxy gives one of its own. */
export function hasOwnNumber(client: object): boolean {
  const { connection } = Object(client);
  const server = servers.get(Object(connection));
  return server !== undefined && Number(server.connection) === connection.threadId;
}

/** Whether a connection that is set up leads to a MariaDB. */
export function isMariaDb(client: Connection): boolean {
  return servers.get(Object(client).connection)?.version.includes('MariaDB') ?? false;
}

/** Whether the connection has ended, as far as the client has noticed. */
export function hasEnded(client: object): boolean {
  return Object(Object(client).connection).stream?.destroyed === true;
}

/** Lets the process end although the connection is open. */
export function unref(client: object): void {
  Object(Object(client).connection).stream?.unref?.();
}

/** Keeps the process as long as the connection is open. */
export function ref(client: object): void {
  Object(Object(client).connection).stream?.ref?.();
}

/** Destroys a connection whose server is silent, which makes the pending statements fail. */
export function cut(client: object): void {
  Object(Object(client).connection).stream?.destroy();
}
