import '@rowlock/servers/vitest';
import type { Driver } from '@rowlock/core';
import { memory, memoryDatabase } from '@rowlock/driver-memory';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { inject } from 'vitest';

/** What the tests need of a transaction, whatever the database. */
export interface Tx {
  query(text: string): Promise<unknown>;
}

interface Opened {
  /** One more driver, as of another process. */
  driver(): Driver<Tx>;
  /** The application's own connection. */
  readonly tx: Tx;
  rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** One of Rowlock's tables, as in `job`. */
  table(name: string): string;
  /** All of Rowlock's tables, as the database lists them, that have a row. */
  full(): Promise<readonly string[]>;
  end(): Promise<void>;
}

export const DATABASES = {
  async postgres(): Promise<Opened> {
    const fresh = await freshDatabase(inject('postgresUrl'));
    const client = new pg.Client({ connectionString: fresh.url });
    await client.connect();
    return {
      driver: () => Object(postgres({ connectionString: fresh.url })),
      tx: client,
      rows: async (text) => (await client.query(text)).rows,
      table: (name) => `rowlock.${name}`,
      full: () =>
        fullOf(client, "SELECT 'rowlock.' || tablename AS name FROM pg_tables WHERE schemaname = 'rowlock'"),
      end: () => client.end().then(() => fresh.drop()),
    };
  },

  async mysql(): Promise<Opened> {
    const fresh = await freshMysqlDatabase(inject('mysqlUrl'));
    const connection = await createConnection(fresh.url);
    return {
      driver: () => Object(mysql({ uri: fresh.url })),
      tx: connection,
      rows: async (text) => (await connection.query<RowDataPacket[]>(text))[0],
      table: (name) => `rowlock_${name}`,
      full: () =>
        fullOf(
          { query: async (text) => ({ rows: (await connection.query<RowDataPacket[]>(text))[0] }) },
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'rowlock%'",
        ),
      end: () => connection.end().then(() => fresh.drop()),
    };
  },
};

interface Reads {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

async function fullOf(on: Reads, tables: string): Promise<readonly string[]> {
  const full: string[] = [];
  for (const { name } of (await on.query(tables)).rows)
    if ((await on.query(`SELECT 1 FROM ${name} LIMIT 1`)).rows.length > 0) full.push(String(name));
  return full.sort();
}

/** The driver in memory, which has no SQL. */
export function inMemory(): { driver(): Driver<Tx> } {
  const database = memoryDatabase();
  return { driver: () => Object(memory({ database })) };
}
