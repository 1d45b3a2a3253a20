import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FreshDatabase,
  freshDatabase,
  freshMysqlDatabase,
  startEmbeddedMysql,
  startEmbeddedPostgres,
} from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { inject } from 'vitest';

/** A database that the application runs on: `describe.each(DATABASES)('on $name', …)`. */
export interface TestDatabase {
  readonly name: string;
  /** A URL where nothing answers: nobody listens on port 1. */
  readonly nowhere: string;
  /** An empty database of the run's server. */
  fresh(): Promise<FreshDatabase>;
  /** Has the server end all connections to a database, as when it shuts down. */
  cut(url: string): Promise<void>;
  /** A server of the test's own, with an empty database. */
  ownServer(): Promise<OwnServer>;
}

/** A server that may be ended without harm to other tests. */
export interface OwnServer {
  readonly url: string;
  /** Ends it at once; what was committed stays. */
  kill(): Promise<void>;
  /** Starts it again under the same URL. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const POSTGRES: TestDatabase = {
  name: 'Postgres',
  nowhere: 'postgres://nobody@127.0.0.1:1/nothing',
  fresh: () => freshDatabase(inject('postgresUrl')),
  async cut(url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await client.end();
  },
  async ownServer() {
    const folder = await openFolder();
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), persistent: true });
    return { ...server, stop: () => server.stop().then(() => removed(folder)) };
  },
};

export const MYSQL: TestDatabase = {
  name: 'MySQL',
  nowhere: 'mysql://nobody@127.0.0.1:1/nothing',
  fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
  async cut(url) {
    const client = await createConnection(url);
    const [others] = await client.query<(RowDataPacket & { id: number })[]>(
      // The list in information_schema is an error while a statement with an emoji runs.
      'SELECT id AS id FROM performance_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    for (const { id } of others)
      await client.query('KILL CONNECTION ?', [id]).catch((error: NodeJS.ErrnoException) => {
        // It has ended by itself.
        if (error.code !== 'ER_NO_SUCH_THREAD') throw error;
      });
    await client.end();
  },
  async ownServer() {
    const folder = await openFolder();
    const server = await startEmbeddedMysql({ dataDir: join(folder, 'data'), persistent: true });
    const { url } = await freshMysqlDatabase(server.url);
    return { ...server, url, stop: () => server.stop().then(() => removed(folder)) };
  },
};

export const DATABASES: readonly TestDatabase[] = [POSTGRES, MYSQL];

/** One that the account which the server runs as can pass through. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spreadsheets-'));
  await chmod(folder, 0o711);
  return folder;
}

function removed(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
