import { describeDriver } from '@rowlock/driver-conformance';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

// The sessions are the drivers' own, and they are told that they are not: wake-ups are then looked for.
describeDriver({
  name: `${product}, sessions shared`,
  open: async () => openMysqlHarness(serverUrl, product, 'shared'),
  themes: ['wake-ups'],
});
