import type { Driver } from '@rowlock/core/driver';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { inject } from 'vitest';

/** The databases under which a program is tried. */
export const databases = [
  {
    name: 'postgres',
    fresh: () => freshDatabase(inject('postgresUrl')),
    open: (url: string): Driver => postgres({ connectionString: url }),
  },
  {
    name: 'mysql',
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    open: (url: string): Driver => mysql({ uri: url }),
  },
];
