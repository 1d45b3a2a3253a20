import { Socket } from 'node:net';
import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolClient } from 'pg';
import { toDriverError } from './errors.js';
import type { OwnSessions } from './own-sessions.js';
import { type PostgresTransaction, query } from './query.js';

/** After how long without a word the other end is asked whether it is there. Node asks 10 times then, once a second. */
export const KEEP_ALIVE_MS = 10_000;

/** An application may give one pool to several drivers. */
const watchedPools = new WeakSet<Pool>();

/**
 * A connection of the pool may break at any time without ending the process: while it idles, and in the moment in which it is
 * handed out, when the server's farewell comes together with its welcome.
 */
export function watch(pool: Pool): void {
  if (watchedPools.has(pool)) return;
  watchedPools.add(pool);
  pool.on('error', ignore);
  pool.on('connect', (client) => void client.on('error', ignore));
}

const NONE_FREE =
  'No connection of the pool was free, or could be made, in time: give it more of them, or Rowlock a pool of its own.';

/** The connections that are watched already. */
const watched = new WeakSet<PoolClient>();

/**
 * A connection of the pool, which may break at any time without ending the process. An application's own pool may not watch
 * over its connections, and may let everybody wait for one for ever. @throws DriverError
 */
export async function takeConnection(pool: Pool, answerMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  let isLate = false;
  try {
    const client = await answerWithin(answerMs, connecting, () => {
      isLate = true;
      connecting.then((late) => late.release(), ignore);
    });
    if (watched.has(client)) return client;
    watched.add(client);
    client.on('error', ignore);
    const socket = socketOf(client);
    if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return client;
  } catch (error) {
    if (isLate) throw new DriverError('ConnectionLost', `${NONE_FREE} (${answerMs} ms)`, { cause: error });
    throw toDriverError(error);
  }
}

/** The end of a connection that nobody answers on: whoever waits for an answer is told. */
export function cut(client: object): void {
  Object(socketOf(client)).destroy?.();
}

/**
 * Ends a pool. What nobody answers on keeps it so long at most, and is cut: the pool waits for what is in use, and does not look after
 * what idles, whose goodbye may wait for its answer. @throws DriverError
 */
export async function endPool(pool: Pool, answerMs: number): Promise<void> {
  const clients: readonly object[] = [...(Object(pool)._clients ?? [])];
  const cutAll = (): void => clients.forEach(cut);
  await answerWithin(answerMs, pool.end(), cutAll);
  setTimeout(cutAll, answerMs).unref();
}

/** A client of another make, or of an older version, may not show it. */
export function socketOf(client: object): unknown {
  return Object(Object(client).connection).stream;
}

/** An error without a listener would end the process; whoever waits for the answer is told of it. */
function ignore(): void {}

/** The pool as something that can be asked, and that answers soon: each statement on whichever connection is free. */
export function onPool(pool: Pool, answerMs: number, own?: OwnSessions): PostgresTransaction {
  return {
    async query(text, values) {
      const client = await takeConnection(pool, answerMs);
      if (own?.replans(client)) client.query('DISCARD PLANS').catch(ignore);
      // After an error the pool makes a new one: it may have been the connection's.
      let isBroken = true;
      try {
        // A client that sends ahead of the answers would wait for this one before it ends.
        const result = await answerWithin(answerMs, client.query(text, values), () => cut(client));
        isBroken = false;
        return result;
      } finally {
        client.release(isBroken);
      }
    },
  };
}

/** What depends on the server's version and on the system that it runs on. */
export interface Server {
  /** Whether it can bound a transaction as a whole, `transaction_timeout`: Postgres 17 and later. */
  readonly boundsTransactions: boolean;
  /** Whether it can look for the client's end while a statement runs, `client_connection_check_interval`. */
  readonly looksForClients: boolean;
  /** How many connections it lets in. */
  readonly connections: number;
}

const SERVER = `
  SELECT current_setting('server_version_num')::integer >= 170000 AS "boundsTransactions",
         version() LIKE '%linux%' AS "looksForClients",
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer
           - coalesce(current_setting('reserved_connections', true)::integer, 0) AS connections`;

/** @throws DriverError */
export async function serverOf(on: PostgresTransaction): Promise<Server> {
  const [server] = await query<Server & { [column: string]: unknown }>(on, SERVER);
  return (
    server ?? { boundsTransactions: false, looksForClients: false, connections: Number.POSITIVE_INFINITY }
  );
}
