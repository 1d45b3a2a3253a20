import { describeCrash } from '@rowlock/driver-conformance/internal';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

describeCrash({
  name: product,
  open: async () => openMysqlHarness(serverUrl, product),
  program: new URL('exit-worker.mjs', import.meta.url),
});
