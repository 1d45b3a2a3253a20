import { count } from 'drizzle-orm';
import { int, mysqlTable } from 'drizzle-orm/mysql-core';
import { drizzle as mysqlDrizzle } from 'drizzle-orm/mysql2';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { drizzle as postgresJsDrizzle } from 'drizzle-orm/postgres-js';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { fromDrizzle, onDrizzle } from '../src/drizzle.js';
import { describeAdapter, drained } from './describe-adapter.js';

const pgOrders = pgTable('orders', { id: integer() });
const mysqlOrders = mysqlTable('orders', { id: int() });

describeAdapter('Drizzle', 'postgres', (url) => {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzle(pool);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({ tx: fromDrizzle(tx), insert: (id) => tx.insert(pgOrders).values({ id }) }),
      ),
    mistakes: {
      // @ts-expect-error a database object has no rollback
      db: () => fromDrizzle(db),
      pool: () => fromDrizzle(Object(pool)),
      nothing: () => fromDrizzle(Object(undefined)),
      'a pool for a handler': () => onDrizzle(pool, drizzle),
    },
    on(tx) {
      const on = onDrizzle(tx, (client) => drizzle({ client }));
      return {
        insert: (id) => on.insert(pgOrders).values({ id }),
        count: async () => (await on.select({ orders: count() }).from(pgOrders))[0]?.orders ?? 0,
        nested: (work) =>
          on.transaction((inner) =>
            work({ tx: fromDrizzle(inner), insert: (id) => inner.insert(pgOrders).values({ id }) }),
          ),
        serializable: (work) =>
          on.transaction(
            (inner) =>
              work({ tx: fromDrizzle(inner), insert: (id) => inner.insert(pgOrders).values({ id }) }),
            { isolationLevel: 'serializable' },
          ),
        ends: { COMMIT: () => on.execute('COMMIT'), ROLLBACK: () => on.execute('ROLLBACK') },
      };
    },
    close: () => pool.end(),
  };
});

describeAdapter('Drizzle', 'mysql', (url) => {
  const pool = createPool(url);
  const db = mysqlDrizzle(pool);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({ tx: fromDrizzle(tx), insert: (id) => tx.insert(mysqlOrders).values({ id }) }),
      ),
    mistakes: {
      // @ts-expect-error a database object has no rollback
      db: () => fromDrizzle(db),
      pool: () => fromDrizzle(Object(pool)),
      'a pool for a handler': () => onDrizzle(pool, mysqlDrizzle),
    },
    on(tx) {
      const on = onDrizzle(tx, mysqlDrizzle);
      return {
        insert: (id) => on.insert(mysqlOrders).values({ id }),
        count: async () => (await on.select({ orders: count() }).from(mysqlOrders))[0]?.orders ?? 0,
        nested: (work) =>
          on.transaction((inner) =>
            work({ tx: fromDrizzle(inner), insert: (id) => inner.insert(mysqlOrders).values({ id }) }),
          ),
        serializable: (work) =>
          on.transaction(
            (inner) =>
              work({ tx: fromDrizzle(inner), insert: (id) => inner.insert(mysqlOrders).values({ id }) }),
            { isolationLevel: 'serializable' },
          ),
        stream: () => drained(on.select().from(mysqlOrders).iterator()),
      };
    },
    close: () => pool.end(),
  };
});

// Another client of Drizzle's. A handler has no connection of it.
describeAdapter('Drizzle', 'postgres', (url) => {
  const sql = postgres(url, { max: 3 });
  const db = postgresJsDrizzle(sql);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({ tx: fromDrizzle(tx), insert: (id) => tx.insert(pgOrders).values({ id }) }),
      ),
    mistakes: { sql: () => fromDrizzle(Object(sql)) },
    close: () => sql.end(),
  };
});
