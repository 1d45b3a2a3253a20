import { type FreshDatabase, freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createRowlock, type Driver, type Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';

export const SERVERS = [
  {
    name: 'Postgres',
    fresh: () => freshDatabase(inject('postgresUrl')),
    driver: (url: string): Driver => postgres({ connectionString: url }),
    empty: emptyPostgres,
  },
  {
    name: 'MySQL',
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    driver: (url: string): Driver => mysql({ uri: url }),
    empty: emptyMysql,
  },
] as const;

export type Server = (typeof SERVERS)[number];

interface Stage {
  readonly url: string;
  readonly rowlock: Rowlock<unknown>;
}

interface StageOptions {
  /** Whether the test changes more than rows: then it has a database of its own. Default false. */
  readonly alters?: boolean;
}

/**
 * Gives each test of a file a database with Rowlock's tables and without a row. Tests share it one after the other: to make
 * one takes as long as most of them.
 */
export function stages(): (server: Server, options?: StageOptions) => Promise<Stage> {
  const free = new Map<Server, FreshDatabase>();
  const shared: FreshDatabase[] = [];
  afterAll(async () => {
    for (const { drop } of shared) await drop();
  });
  return async (server, { alters = false } = {}) => {
    const known = alters ? undefined : free.get(server);
    const database = known ?? (await server.fresh());
    if (!alters) free.delete(server);
    if (known === undefined && !alters) shared.push(database);
    onTestFinished(async () => {
      if (alters) await database.drop();
      else free.set(server, database);
    });
    const { url } = database;
    const rowlock = createRowlock({ driver: server.driver(url) });
    onTestFinished(() => rowlock.close());
    if (known === undefined) await rowlock.migrate();
    else await server.empty(url);
    return { url, rowlock };
  };
}

async function emptyPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT string_agg(format('rowlock.%I', tablename), ', ') AS tables FROM pg_tables WHERE schemaname = 'rowlock' AND tablename <> 'rowlock_migration'",
  );
  await client.query(`TRUNCATE ${rows[0].tables} RESTART IDENTITY CASCADE`);
  await client.end();
}

async function emptyMysql(url: string): Promise<void> {
  const connection = await createConnection(url);
  await connection.query('SET foreign_key_checks = 0');
  const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
  for (const table of tables.flatMap(Object.values))
    if (table !== 'rowlock_migration') await connection.query('DELETE FROM ??', [table]);
  await connection.end();
}
