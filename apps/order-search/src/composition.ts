import { createRowlock, type Driver, type Logger, type Rowlock } from '@rowlock/core';
import { type MysqlTransaction, mysql } from '@rowlock/driver-mysql';
import { type PostgresTransaction, postgres } from '@rowlock/driver-postgres';
import { capturesOf } from './captures.js';
import { MysqlOrderStore } from './data/mysql-order-store.js';
import type { OrderStore } from './data/order-store.js';
import { PostgresOrderStore } from './data/postgres-order-store.js';
import { orderChanged } from './handlers/order-changed.js';
import { spread } from './handlers/spread.js';
import { subjectChanged } from './handlers/subject-changed.js';
import type { LegacyDatabase } from './legacy/legacy-database.js';
import { mysqlLegacyDatabase } from './legacy/mysql-legacy-database.js';
import { postgresLegacyDatabase } from './legacy/postgres-legacy-database.js';
import type { LegacySchema } from './search/sources.js';

/** The parts, all of them on one kind of database: the store's transactions are those that Rowlock takes. */
export interface Composition<Tx> {
  readonly rowlock: Rowlock<Tx>;
  readonly store: OrderStore<Tx>;
  /** Hands both to what runs on every database alike. */
  both<Result>(use: <Any>(rowlock: Rowlock<Any>, store: OrderStore<Any>) => Result): Result;
  /** Brings Rowlock's schema and the search table up to date. */
  migrate(): Promise<void>;
  /** The old system's database, as its own applications have it: up to `connections` sessions. */
  legacy(connections: number): LegacyDatabase;
  close(): Promise<void>;
}

/** On which databases this application runs. */
export type AnyComposition = Composition<PostgresTransaction> | Composition<MysqlTransaction>;

/**
 * Puts the parts together. The only place that names the database: the one of the URL's scheme. Nothing is connected yet.
 */
export function compose(databaseUrl: string, log: Logger): AnyComposition {
  return new URL(databaseUrl).protocol === 'mysql:'
    ? composeOn(mysql({ uri: databaseUrl }), new MysqlOrderStore(databaseUrl), '', log, (connections) =>
        mysqlLegacyDatabase(databaseUrl, connections),
      )
    : composeOn(
        postgres({ connectionString: databaseUrl }),
        new PostgresOrderStore(databaseUrl, (error) => log.warn({ error }, 'an idle connection broke')),
        'legacy.',
        log,
        (connections) => postgresLegacyDatabase(databaseUrl, connections),
      );
}

function composeOn<Tx>(
  driver: Driver<Tx>,
  store: OrderStore<Tx>,
  schema: LegacySchema,
  log: Logger,
  legacy: (connections: number) => LegacyDatabase,
): Composition<Tx> {
  const handlers = [
    orderChanged(store, schema),
    subjectChanged<Tx>('customer', schema),
    subjectChanged<Tx>('item', schema),
    subjectChanged<Tx>('maker', schema),
    spread(store),
  ];
  const captures = (['order', 'customer', 'item', 'maker'] as const).flatMap((of) => capturesOf(schema, of));
  const rowlock = createRowlock({ driver, handlers, captures, log });
  return {
    rowlock,
    store,
    both: (use) => use(rowlock, store),
    async migrate() {
      await rowlock.migrate();
      await store.migrate();
    },
    legacy,
    async close() {
      await rowlock.close();
      await store.close();
    },
  };
}
