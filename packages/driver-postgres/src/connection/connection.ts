import { once } from 'node:events';
import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { toDriverError, toUnsent } from '../errors.js';
import type { PostgresTransaction, QueryConfig } from '../query.js';
import { sharedPoolOf } from './pool.js';
import type { SessionSettings } from './session-settings.js';
import { stopStatement } from './stop-statement.js';

/** Keep-alive probes begin after so many silent milliseconds. Node sends 10 probes, one a second. */
export const KEEP_ALIVE_MS = 10_000;

/**
 * The open connections of the pools that have the listeners. An application may give one pool to several drivers. A pool forgets a
 * connection when it begins to end it, and a silent server never lets it end.
 */
const watchedPools = new WeakMap<Pool, Set<object>>();

/**
 * Keeps a pooled connection that breaks from ending the process. The connection may break while it is idle.
 * A new connection may break too: the server may close it in the same moment as it accepts it.
 */
export function watch(pool: Pool): void {
  if (watchedPools.has(pool)) return;
  const open = new Set<object>();
  watchedPools.set(pool, open);
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    open.add(client);
    client.on('error', ignore).once('end', () => open.delete(client));
  });
}

const NONE_FREE =
  'No connection of the pool was free, or could be made, in time: give it more of them, or Rowlock a pool of its own.';

/** Connections that have the listeners, and their pools. */
const watched = new WeakMap<PoolClient, Pool>();

/**
 * Takes a connection from the pool. A connection that breaks does not end the process.
 * An application's own pool may lack error listeners, and may have no timeout for a free connection. @throws DriverError
 */
export async function takeConnection(pool: Pool, answerMs: number): Promise<PoolClient> {
  const connecting = sharedPoolOf(pool).connect(answerMs);
  let isLate = false;
  try {
    const client = await answerWithin(answerMs, connecting, () => {
      isLate = true;
      connecting.then((late) => late.release(), ignore);
    });
    if (watched.has(client)) return client;
    watched.set(client, pool);
    client.on('error', ignore);
    Object(socketOf(client)).setKeepAlive?.(true, KEEP_ALIVE_MS);
    return client;
  } catch (error) {
    if (isLate) throw new DriverError('ConnectionLost', `${NONE_FREE} (${answerMs} ms)`, { cause: error });
    throw toUnsent(error);
  }
}

/** Takes a connection for a claim, which calls `letGo` at its end. @param isSettlement Whether it settles a lease. @throws DriverError */
export async function holdConnection(
  pool: Pool,
  answerMs: number,
  isSettlement: boolean,
): Promise<PoolClient> {
  const source = {
    take: () => takeConnection(pool, answerMs),
    giveBack: (client: PoolClient) => client.release(),
  };
  try {
    return await sharedPoolOf(pool).hold(source, answerMs, isSettlement);
  } catch (error) {
    throw toUnsent(error);
  }
}

/** Destroys a connection that does not answer, which makes the pending statements fail. */
export function cut(client: object): void {
  Object(socketOf(client)).destroy?.();
}

/**
 * Gives up a statement that has no answer. Its connection is cut. The statement is cancelled on the server, which would
 * otherwise do it later: a caller who tries again would have done it twice.
 */
export function giveUp(client: PoolClient, statement: string | QueryConfig, answerMs: number): void {
  cut(client);
  const pool = watched.get(client);
  if (pool !== undefined) void stopStatement(pool, client, textOf(statement), answerMs, cut);
}

function textOf(statement: string | QueryConfig): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/**
 * Ends a pool. A connection that does not answer is cut after `answerMs`: the pool waits without a bound for connections in use.
 * An idle connection is cut too, as its termination may wait for an answer. @throws DriverError
 */
export async function endPool(pool: Pool, answerMs: number): Promise<void> {
  const clients: readonly object[] = [...(Object(pool)._clients ?? []), ...(watchedPools.get(pool) ?? [])];
  const cutAll = (): void => clients.forEach(cut);
  await answerWithin(answerMs, pool.end(), cutAll);
  setTimeout(cutAll, answerMs).unref();
}

/** The client's socket. A client of another make, or of an older version, may not expose it. */
export function socketOf(client: object): unknown {
  return Object(Object(client).connection).stream;
}

/** An error event without a listener would end the process. Pending statements fail with the error anyway. */
function ignore(): void {}

/**
 * Works on one connection of the pool, with a bound on the time of the whole. Statements that are sent at once share a message on
 * a pipelining connection, and follow each other on another one.
 */
export async function onOne<Answer>(
  pool: Pool,
  answerMs: number,
  work: (on: PostgresTransaction) => Promise<Answer>,
): Promise<Answer> {
  const client = await takeConnection(pool, answerMs);
  try {
    const on = pipelines(client) ? client : serialized(client);
    const answer = await answerWithin(answerMs, work(on), () => cut(client));
    client.release();
    return answer;
  } catch (error) {
    await releaseBehindError(client, answerMs);
    throw error;
  }
}

/**
 * Gives back a connection behind an error, when what failed has ended on the server: a next statement on another connection could
 * else skip rows that are still locked. Never rejects.
 */
export async function releaseBehindError(
  client: PoolClient,
  answerMs: number,
  isBroken = true,
): Promise<void> {
  const ended = readyBehindError(client).then(() => {
    const status: unknown = Object(client).getTransactionStatus?.();
    if (status === 'T' || status === 'E') return client.query('ROLLBACK');
  });
  await answerWithin(answerMs, ended, () => cut(client)).catch(ignore);
  client.release(isBroken);
}

/**
 * Resolves when the server is ready again behind a failed statement, or the connection has ended. The statement fails at the server's
 * error, which comes before the server releases the statement's locks. Tracing tools then lose the span of that statement.
 */
export async function readyBehindError(client: PoolClient): Promise<void> {
  // The client's own mark, which its types lack.
  const isReady = Reflect.get(client, 'readyForQuery') !== false;
  if (isReady || Object(socketOf(client)).destroyed === true) return;
  const over = new AbortController();
  const ends = ['drain', 'end'].map((event) => once(client, event, { signal: over.signal }));
  await Promise.race(ends).catch(ignore);
  over.abort();
}

/** Whether the client pipelines. Another one would queue the statements, and pg warns about that. */
export function pipelines(client: PoolClient): boolean {
  return Object(client).pipeline === true;
}

/** Sends each statement when the one before is answered. */
function serialized(client: PoolClient): PostgresTransaction {
  let before: Promise<unknown> = Promise.resolve();
  return {
    query(text, values) {
      const answer = before.then(() => client.query(text, values));
      before = answer.catch(ignore);
      return answer;
    },
  };
}

/** The pool: each statement runs on any free connection, with a bound on the time of its answer. */
export function onPool(pool: Pool, answerMs: number, settings?: SessionSettings): PostgresTransaction {
  return {
    async query<Row extends QueryResultRow>(text: string | QueryConfig, values?: unknown[]) {
      const client = await takeConnection(pool, answerMs);
      // Only a prepared statement's plan outlasts it.
      const renewal =
        typeof text !== 'string' && text.name !== undefined ? settings?.renewal(client) : undefined;
      for (const { text: ahead, read } of renewal ?? []) client.query(ahead).then(read, ignore);
      try {
        // A pipelining client waits for this answer before it ends.
        const sending = client.query<Row>(text, values);
        const answer = await answerWithin(answerMs, sending, () => giveUp(client, text, answerMs));
        client.release();
        return answer;
      } catch (error) {
        // After an error the pool opens a new connection, as the old one may be the cause. It is not the cause of a refused NOWAIT.
        const isBroken = toDriverError(error).code !== 'LockNotAvailable';
        await releaseBehindError(client, answerMs, isBroken);
        throw error;
      }
    },
  };
}
