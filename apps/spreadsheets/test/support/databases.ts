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
import { inject } from 'vitest';

/** A database that the application runs on: `describe.each(DATABASES)('on $name', …)`. */
export interface TestDatabase {
  readonly name: string;
  /** A URL where nothing answers. */
  nowhere(port: number): string;
  /** An empty database of the run's server. */
  fresh(): Promise<FreshDatabase>;
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
  nowhere: (port) => `postgres://nobody@127.0.0.1:${port}/nothing`,
  fresh: () => freshDatabase(inject('postgresUrl')),
  async ownServer() {
    const folder = await openFolder();
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), persistent: true });
    return { ...server, stop: () => server.stop().then(() => removed(folder)) };
  },
};

const MYSQL: TestDatabase = {
  name: 'MySQL',
  nowhere: (port) => `mysql://nobody@127.0.0.1:${port}/nothing`,
  fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
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
