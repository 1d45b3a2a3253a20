import { describeFrozen } from '@rowlock/driver-conformance/internal';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

describeFrozen({
  name: product,
  open: async () => openMysqlHarness(serverUrl, product),
  program: new URL('frozen-worker.mjs', import.meta.url),
});
