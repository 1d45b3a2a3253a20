import { createRowlock, type Driver, type Plugin, type Rowlock } from '@rowlock/core';
import { type MysqlTransaction, mysql } from '@rowlock/driver-mysql';
import { type PostgresTransaction, postgres } from '@rowlock/driver-postgres';
import {
  type Spreadsheets as GoogleSpreadsheets,
  googleSheets,
  googleSpreadsheets,
} from '@rowlock/plugin-google-sheets';
import { openTelemetry } from '@rowlock/telemetry';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { MysqlSpreadsheetStore } from './data/mysql-spreadsheet-store.js';
import { PostgresSpreadsheetStore } from './data/postgres-spreadsheet-store.js';
import type { SpreadsheetStore } from './data/spreadsheet-store.js';
import { accessTo } from './google-access.js';

/** The parts, all of them on one kind of database: the store's transactions are those that Rowlock takes. */
export interface Composition<Tx> {
  readonly rowlock: Rowlock<Tx>;
  readonly store: SpreadsheetStore<Tx>;
  /** Hands both to what runs on every database alike. */
  both<Result>(use: <Any>(rowlock: Rowlock<Any>, store: SpreadsheetStore<Any>) => Result): Result;
  /** Brings Rowlock's schema and the application's own up to date. */
  migrate(): Promise<object>;
  close(): Promise<void>;
}

/** On which databases this application runs. Another one begins here. */
export type AnyComposition = Composition<PostgresTransaction> | Composition<MysqlTransaction>;

/**
 * Puts the parts together. The only place that knows which database they run on: the one that the URL's scheme names.
 * Nothing is connected yet.
 */
export function compose(config: Config, log: Logger): AnyComposition {
  const { databaseUrl } = config;
  if (new URL(databaseUrl).protocol === 'mysql:') {
    return composeOn(
      mysql({ uri: databaseUrl }),
      new MysqlSpreadsheetStore({ uri: databaseUrl }),
      config,
      log,
    );
  }
  const store = new PostgresSpreadsheetStore({
    connectionString: databaseUrl,
    onConnectionLost: (error) => log.warn({ err: error }, 'an idle connection broke'),
  });
  return composeOn(postgres({ connectionString: databaseUrl }), store, config, log);
}

function composeOn<Tx>(
  driver: Driver<Tx>,
  store: SpreadsheetStore<Tx>,
  config: Config,
  log: Logger,
): Composition<Tx> {
  const access = accessTo(config.google);
  // What only writes requests down needs neither Google nor the handlers.
  const own = access === undefined ? [] : [handlers(store, googleSpreadsheets(access), config)];
  // Does nothing unless OpenTelemetry's SDK is loaded before, by `node --import`.
  const rowlock = createRowlock({ driver, plugins: [openTelemetry(), ...own], log });

  return {
    rowlock,
    store,
    both: (use) => use(rowlock, store),
    migrate: async () => ({ rowlock: await rowlock.migrate(), spreadsheets: await store.migrate() }),
    async close() {
      await rowlock.close();
      await store.close();
    },
  };
}

/** What the handlers write goes through the transaction that settles the job: it is there if, and only if, the job is complete. */
function handlers<Tx>(
  store: SpreadsheetStore<Tx>,
  spreadsheets: GoogleSpreadsheets,
  { publicUrl, worker }: Config,
): Plugin<Tx> {
  return googleSheets<Tx>({
    spreadsheets,
    claim: worker.claim,
    sendBackUrl: (id) => `${publicUrl}/spreadsheets/${id}/send-back`,
    onCreated: ({ key, spreadsheetId: id, url, notShared = null, tx }) =>
      store.markCreated(key, { id, url, notShared }, tx),
    resolve: (id) => store.googleIdOf(id),
    onRows: ({ key, columns, rows, tx }) => store.replaceRows(key, { columns, rows }, tx),
  });
}
