import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { inject, test } from 'vitest';
import '@rowlock/servers/vitest';
import { openMysqlHarness } from './mysql-harness.js';

const url = inject('mariadbUrl');

if (url === undefined) {
  test('mariadb', ({ skip }) => skip('TEST_MARIADB=1 starts a MariaDB, and the suite runs on it as well.'));
} else {
  describeDriver({ name: 'mariadb', open: async () => openMysqlHarness(url, 'mariadb') });
  testWholeSuite();
}
