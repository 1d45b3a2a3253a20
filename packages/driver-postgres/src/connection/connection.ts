import { Socket } from 'node:net';
import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolClient } from 'pg';
import { toDriverError } from '../errors.js';
import type { PostgresTransaction } from '../query.js';
import type { SessionSettings } from './session-settings.js';

/** After how many silent milliseconds keep-alive probes begin. Node sends 10 of them, one a second. */
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

/** Connections that have the listeners. */
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

/** Ends a connection that does not answer: what waits for an answer fails. */
export function cut(client: object): void {
  Object(socketOf(client)).destroy?.();
}

/**
 * Ends a pool. A connection that does not answer delays that by `answerMs` at most, and is cut: the pool waits for connections in use, and
 * leaves alone idle ones, whose goodbye may wait for an answer. @throws DriverError
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

/** An error without a listener would end the process. What waits for an answer fails with it. */
function ignore(): void {}

/** The pool, each statement on whichever connection is free, with a bound on the time of its answer. */
export function onPool(pool: Pool, answerMs: number, settings?: SessionSettings): PostgresTransaction {
  return {
    async query(text, values) {
      const client = await takeConnection(pool, answerMs);
      if (settings?.replans(client)) client.query('DISCARD PLANS').catch(ignore);
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
