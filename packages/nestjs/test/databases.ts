import '@rowlock/servers/vitest';
import type { Driver } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { inject } from 'vitest';

/** A transaction, as far as both databases have it. */
export interface Tx {
  query(text: string): Promise<unknown>;
}

/** A database with a table of an application, and an independent reader. */
export class Database {
  constructor(
    readonly driver: () => Driver<Tx>,
    /** Commits what the work has written, or nothing if it throws. */
    readonly transaction: (work: (tx: Tx) => Promise<void>) => Promise<void>,
    readonly rows: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
    readonly drop: () => Promise<void>,
  ) {}
}

export const DATABASES = [
  { name: 'Postgres', job: 'rowlock.job', open: openPostgres },
  { name: 'MySQL', job: 'rowlock_job', open: openMysql },
];

const ORDERS = 'CREATE TABLE orders (id integer NOT NULL PRIMARY KEY, confirmed integer NOT NULL DEFAULT 0)';

async function openPostgres(): Promise<Database> {
  const database = await freshDatabase(inject('postgresUrl'));
  const pool = new pg.Pool({ connectionString: database.url });
  await pool.query(ORDERS);
  const connection = async () => {
    const client = await pool.connect();
    return { client, release: () => client.release() };
  };
  return new Database(
    () => Object(postgres({ connectionString: database.url })),
    (work) => inTransaction(connection, work),
    async (text) => (await pool.query(text)).rows,
    async () => {
      await pool.end();
      await database.drop();
    },
  );
}

async function openMysql(): Promise<Database> {
  const database = await freshMysqlDatabase(inject('mysqlUrl'));
  const pool = createPool(database.url);
  await pool.query(ORDERS);
  const connection = async () => {
    const client = await pool.getConnection();
    return { client, release: () => client.release() };
  };
  return new Database(
    () => Object(mysql({ uri: database.url })),
    (work) => inTransaction(connection, work),
    async (text) => (await pool.query<RowDataPacket[]>(text))[0],
    async () => {
      await pool.end();
      await database.drop();
    },
  );
}

async function inTransaction(
  connect: () => Promise<{ readonly client: Tx; release(): void }>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { client, release } = await connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    release();
  }
}
