import { CamelCasePlugin, type Dialect, Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool } from 'mysql2';
import pg from 'pg';
import { fromKysely, onKysely } from '../src/kysely.js';
import { describeAdapter, drained, type Orm } from './describe-adapter.js';

interface Tables {
  readonly orders: { readonly id: number };
}

function kysely(dialect: Dialect, pool: object): Orm {
  const db = new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] });
  return {
    transaction: (work) =>
      db
        .transaction()
        .execute((trx) =>
          work({ tx: fromKysely(trx), insert: (id) => trx.insertInto('orders').values({ id }).execute() }),
        ),
    mistakes: {
      // @ts-expect-error a database object is no transaction
      db: () => fromKysely(db),
      pool: () => fromKysely(Object(pool)),
      'a pool for a handler': () => onKysely(Object(pool)),
    },
    on(tx) {
      const on = onKysely<Tables>(tx, { plugins: [new CamelCasePlugin()] });
      return {
        insert: (id) => on.insertInto('orders').values({ id }).execute(),
        count: async () => (await on.selectFrom('orders').selectAll().execute()).length,
        nested: (work) =>
          on.transaction().execute((trx) =>
            work({
              tx: fromKysely(trx),
              insert: (id) => trx.insertInto('orders').values({ id }).execute(),
            }),
          ),
        serializable: (work) =>
          on
            .transaction()
            .setIsolationLevel('serializable')
            .execute((trx) =>
              work({
                tx: fromKysely(trx),
                insert: (id) => trx.insertInto('orders').values({ id }).execute(),
              }),
            ),
        stream: () => drained(on.selectFrom('orders').selectAll().stream()),
      };
    },
    close: () => db.destroy(),
  };
}

describeAdapter('Kysely', 'postgres', (url) => {
  const pool = new pg.Pool({ connectionString: url });
  return kysely(new PostgresDialect({ pool }), pool);
});

describeAdapter('Kysely', 'mysql', (url) => {
  const pool = createPool(url);
  return kysely(new MysqlDialect({ pool }), pool);
});
