import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { type FreshDatabase, freshDatabase } from './fresh-database.js';
import { freshMysqlDatabase } from './fresh-mysql-database.js';

/** Rowlock's list of its migrations, which stays when a database is emptied. */
const MIGRATIONS = 'rowlock_migration';

/** Databases that are handed on from test to test. */
export interface SharedDatabases {
  /** A database that nobody has now, without a row. Its `drop` leaves it to the next test. It may still be without tables. */
  take(): Promise<FreshDatabase>;
  /** Drops all of them. */
  drop(): Promise<void>;
}

/**
 * For tests that change no more than rows: to make a database and Rowlock's tables in it takes longer than most tests. The
 * tables are in the schema `rowlock`.
 */
export function sharedDatabases(serverUrl: string): SharedDatabases {
  return shared(() => freshDatabase(serverUrl), emptyPostgres);
}

/** `sharedDatabases` on MySQL and MariaDB. */
export function sharedMysqlDatabases(serverUrl: string): SharedDatabases {
  return shared(() => freshMysqlDatabase(serverUrl), emptyMysql);
}

function shared(fresh: () => Promise<FreshDatabase>, empty: (url: string) => Promise<void>): SharedDatabases {
  const all: FreshDatabase[] = [];
  const free: FreshDatabase[] = [];
  return {
    async take() {
      const known = free.pop();
      const database = known ?? (await fresh());
      if (known === undefined) all.push(database);
      else await empty(known.url);
      return { url: database.url, drop: async () => void free.push(database) };
    },
    async drop() {
      for (const database of all) await database.drop();
    },
  };
}

async function emptyPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT format('rowlock.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'rowlock' AND tablename <> $1",
      [MIGRATIONS],
    );
    const names = rows.map(({ name }) => name).join(', ');
    if (names !== '') await client.query(`TRUNCATE ${names} RESTART IDENTITY CASCADE`);
  } finally {
    await client.end();
  }
}

async function emptyMysql(url: string): Promise<void> {
  const connection = await createConnection(url);
  try {
    await connection.query('SET foreign_key_checks = 0');
    const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
    for (const name of tables.flatMap(Object.values)) {
      if (name === MIGRATIONS) continue;
      // A TRUNCATE makes the table anew, which an empty one does not need.
      const [rows] = await connection.query<RowDataPacket[]>('SELECT 1 FROM ?? LIMIT 1', [name]);
      if (rows.length > 0) await connection.query('TRUNCATE ??', [name]);
    }
  } finally {
    await connection.end();
  }
}
