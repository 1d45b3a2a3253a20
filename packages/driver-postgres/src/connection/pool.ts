import { type ClientPool, SharedPool } from '@rowlock/sql-drivers';
import type { Pool, PoolClient } from 'pg';
import { isRefusal } from '../errors.js';

const known = new WeakMap<Pool, SharedPool<PoolClient>>();

/**
 * The connections of a pool, the same for all drivers on it.
 *
 * @param isApplications Whether the pool is the application's own. Only the first call for a pool decides.
 */
export function sharedPoolOf(pool: Pool, isApplications = true): SharedPool<PoolClient> {
  const found = known.get(pool) ?? new SharedPool(spelled(pool), isApplications);
  known.set(pool, found);
  return found;
}

function spelled(pool: Pool): ClientPool<PoolClient> {
  // The client's types do not have the list, and the list has connections that are being opened.
  const all = (): readonly object[] => Object(pool)._clients ?? [];
  const opened = new WeakSet(all());
  pool.on('connect', (client) => void opened.add(client));
  return {
    get most() {
      return pool.options.max;
    },
    // The pool itself makes callers wait, the application's among them.
    set most(most) {
      pool.options.max = most;
    },
    get open() {
      return all().filter((client) => opened.has(client)).length;
    },
    get free() {
      return pool.idleCount + pool.options.max - pool.totalCount - pool.waitingCount;
    },
    connect: () => pool.connect(),
    giveBack: (client) => client.release(),
    isRefusal,
  };
}
