import { type ClientPool, SharedPool } from '@rowlock/sql-drivers';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { isRefusal } from '../errors.js';

const known = new WeakMap<Pool, SharedPool<PoolConnection>>();

/** The connections of a pool, which is the driver's own. */
export function sharedPoolOf(pool: Pool): SharedPool<PoolConnection> {
  const found = known.get(pool) ?? new SharedPool(spelled(pool), false);
  known.set(pool, found);
  return found;
}

function spelled(pool: Pool): ClientPool<PoolConnection> {
  // The client's types do not have these, and the list has connections that are being opened.
  const {
    config,
    _allConnections: list,
    _freeConnections: idle,
    _connectionQueue: queue,
  } = Object(Object(pool).pool);
  const opened = new WeakSet<object>();
  pool.on('connection', (connection) => void opened.add(connection));
  const all = (): readonly object[] => list.toArray();
  return {
    get most() {
      return Number(config.connectionLimit);
    },
    set most(most) {
      config.connectionLimit = most;
    },
    get open() {
      return all().filter((connection) => opened.has(connection)).length;
    },
    get free() {
      return Number(idle.length + config.connectionLimit - list.length - queue.length);
    },
    connect: () => pool.getConnection(),
    giveBack: (client) => client.release(),
    isRefusal,
  };
}
