import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { toDriverError, toUnsent, translated } from '../errors.js';
import type { MysqlTransaction } from '../query.js';
import { sharedPoolOf } from './pool.js';
import { cut, type OnConnect, prepareSession } from './session.js';

/** The timeout for setting up a connection, in milliseconds. The same as the timeout for connecting. */
const PREPARED_MS = 10_000;

/** The hooks of pools, for each new connection. */
const hooks = new WeakMap<Pool, OnConnect>();

/** Calls back for each new connection of a pool, before its first statement. */
export function hook(pool: Pool, onConnect: OnConnect | undefined): void {
  if (onConnect !== undefined) hooks.set(pool, onConnect);
}

/** The connections that are set up already. */
const prepared = new WeakSet<object>();

const NONE_FREE =
  'No connection of the pool was free, or could be made, in time: give Rowlock more of them, with maxConnections.';

/** A connection of the pool, set up. @param answerMs The timeout for a free connection, in milliseconds. @throws DriverError */
export async function takeConnection(pool: Pool, answerMs: number): Promise<PoolConnection> {
  const connecting = sharedPoolOf(pool).connect(answerMs);
  let isLate = false;
  try {
    const client = await answerWithin(answerMs, connecting, () => {
      isLate = true;
      connecting.then(
        (late) => late.release(),
        () => {},
      );
    });
    await prepareOnce(client, hooks.get(pool));
    return client;
  } catch (error) {
    if (isLate) throw new DriverError('ConnectionLost', `${NONE_FREE} (${answerMs} ms)`, { cause: error });
    throw toUnsent(error);
  }
}

/** Sets up a connection. Closes the connection on a failure. */
async function prepareOnce(client: PoolConnection, onConnect: OnConnect | undefined): Promise<void> {
  if (prepared.has(client.connection)) return;
  try {
    await answerWithin(PREPARED_MS, prepareSession(client, onConnect), () => cut(client));
  } catch (error) {
    client.destroy();
    throw error;
  }
  prepared.add(client.connection);
}

/** Works on a connection of the pool. @param answerMs The timeout for a free connection, in milliseconds. @throws DriverError */
export async function withConnection<Result>(
  pool: Pool,
  answerMs: number,
  work: (client: PoolConnection) => Promise<Result>,
): Promise<Result> {
  const client = await takeConnection(pool, answerMs);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    // Closes even a healthy connection to a server that has become read-only: a new one may reach the writable server.
    if (toDriverError(error).code === 'ConnectionLost') client.destroy();
    else client.release();
    throw error;
  }
}

/** Gives up a connection whose server does not answer, which makes the pending statement fail. */
export type GiveUp = (client: PoolConnection) => void;

/**
 * The pool as a transaction: each statement runs on any free connection, and is committed by itself.
 *
 * @param answerMs The timeout for a free connection, and again for the statement, in milliseconds.
 * @param giveUp Is called with the connection of a statement that has no answer. Default: cuts the connection.
 */
export function onPool(pool: Pool, answerMs: number, giveUp: GiveUp = cut): MysqlTransaction {
  const use = <Result>(statement: (client: PoolConnection) => Promise<Result>): Promise<Result> =>
    withConnection(pool, answerMs, (client) =>
      answerWithin(answerMs, translated(statement(client)), () => giveUp(client)),
    );
  return {
    execute: (sql, values) => use((client) => client.execute<never>(sql, values)),
    query: (sql, values) => use((client) => client.query<never>(sql, values)),
  };
}

/** Ends a pool. A silent server delays the end by `answerMs` at most. @throws DriverError */
export async function endPool(pool: Pool, answerMs: number): Promise<void> {
  // A connection that is lost meanwhile, or is refused by the server, is already closed.
  const ended = pool.end().catch(() => {});
  await answerWithin(answerMs, ended, () => {
    const connections = Object(Object(pool).pool)._allConnections?.toArray() ?? [];
    for (const connection of connections) Object(connection).stream?.destroy();
  });
}
