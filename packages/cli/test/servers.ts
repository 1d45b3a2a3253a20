import { freshDatabase, freshMysqlDatabase, sharedDatabases, sharedMysqlDatabases } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createRowlock, type Driver, type Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { afterAll, inject, onTestFinished } from 'vitest';

export const SERVERS = [
  {
    name: 'Postgres',
    fresh: () => freshDatabase(inject('postgresUrl')),
    driver: (url: string): Driver => postgres({ connectionString: url }),
    shared: () => sharedDatabases(inject('postgresUrl')),
  },
  {
    name: 'MySQL',
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    driver: (url: string): Driver => mysql({ uri: url }),
    shared: () => sharedMysqlDatabases(inject('mysqlUrl')),
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

/** Gives each test of a file a database with Rowlock's tables and without a row. */
export function stages(): (server: Server, options?: StageOptions) => Promise<Stage> {
  const databases = new Map(SERVERS.map((server) => [server, server.shared()]));
  afterAll(async () => {
    for (const shared of databases.values()) await shared.drop();
  });
  return async (server, { alters = false } = {}) => {
    const shared = alters ? undefined : databases.get(server);
    const { url, drop } = await (shared?.take() ?? server.fresh());
    onTestFinished(drop);
    const rowlock = createRowlock({ driver: server.driver(url) });
    onTestFinished(() => rowlock.close());
    await rowlock.migrate();
    return { url, rowlock };
  };
}
