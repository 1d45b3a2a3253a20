import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createRowlock, type Driver, type Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { inject, onTestFinished } from 'vitest';

export const SERVERS = [
  {
    name: 'Postgres',
    fresh: () => freshDatabase(inject('postgresUrl')),
    driver: (url: string): Driver => postgres({ connectionString: url }),
  },
  {
    name: 'MySQL',
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    driver: (url: string): Driver => mysql({ uri: url }),
  },
] as const;

export type Server = (typeof SERVERS)[number];

interface Stage {
  readonly url: string;
  readonly rowlock: Rowlock<unknown>;
}

/** An empty database of its own with Rowlock's tables, until the test has finished. */
export async function stage(server: Server): Promise<Stage> {
  const { url, drop } = await server.fresh();
  onTestFinished(drop);
  const rowlock = createRowlock({ driver: server.driver(url) });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  return { url, rowlock };
}
