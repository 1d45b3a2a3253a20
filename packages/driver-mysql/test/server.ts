import '@rowlock/servers/vitest';
import { inject } from 'vitest';

/** What the tests of this project run on: see vitest.mariadb.config.ts. */
export const product = inject('mysqlProduct') ?? 'mysql';

export const serverUrl = product === 'mysql' ? inject('mysqlUrl') : urlOfMariadb();

function urlOfMariadb(): string {
  const url = inject('mariadbUrl');
  if (url === undefined) throw new Error('Set TEST_MARIADB=1, which starts a MariaDB.');
  return url;
}
