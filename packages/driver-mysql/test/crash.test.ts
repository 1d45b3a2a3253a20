import { describeCrash } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openMysqlHarness } from './mysql-harness.js';

describeCrash({
  name: 'mysql',
  open: async () => openMysqlHarness(inject('mysqlUrl')),
  program: new URL('exit-worker.mjs', import.meta.url),
});
