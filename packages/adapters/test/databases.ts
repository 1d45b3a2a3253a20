import '@rowlock/servers/vitest';
import type { Driver } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { inject } from 'vitest';
import type { Handle } from '../src/handle.js';

/** An independent reader of a database. */
export interface Reader {
  rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
}

interface Subject {
  readonly job: string;
  readonly driver: (url: string) => Driver<Handle>;
  fresh(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  reader(url: string): Promise<Reader>;
  /** A connection as of a pool of the application's. */
  connection(
    url: string,
  ): Promise<{ readonly tx: Handle; run(text: string): Promise<unknown>; end(): Promise<void> }>;
}

export const DATABASES = {
  postgres: {
    job: 'rowlock.job',
    driver: (url) => Object(postgres({ connectionString: url })),
    fresh: () => freshDatabase(inject('postgresUrl')),
    async reader(url) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return { rows: async (text) => (await client.query(text)).rows, end: () => client.end() };
    },
    async connection(url) {
      const tx = new pg.Client({ connectionString: url });
      await tx.connect();
      return { tx, run: (text) => tx.query(text), end: () => tx.end() };
    },
  },
  mysql: {
    job: 'rowlock_job',
    driver: (url) => Object(mysql({ uri: url })),
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    async reader(url) {
      const connection = await createConnection(url);
      return {
        rows: async (text) => (await connection.query<RowDataPacket[]>(text))[0],
        end: () => connection.end(),
      };
    },
    async connection(url) {
      const tx = await createConnection(url);
      return { tx, run: (text) => tx.query(text), end: () => tx.end() };
    },
  },
} satisfies Record<'postgres' | 'mysql', Subject>;
