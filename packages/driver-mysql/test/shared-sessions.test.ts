import { describeDriver } from '@rowlock/driver-conformance';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

// The sessions are not shared. The option says that they are, so that wake-ups are polled.
describeDriver({
  name: `${product}, sessions shared`,
  open: async () => openMysqlHarness(serverUrl, product, 'shared'),
  themes: ['wake-ups'],
});
