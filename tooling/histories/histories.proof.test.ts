import type { DriverUnderTest } from '@rowlock/driver-conformance';
import { describeModel } from '@rowlock/driver-conformance/internal';
import '@rowlock/servers/vitest';
import { inject } from 'vitest';
import { openMemoryHarness } from '../../packages/driver-memory/test/memory-harness.js';
import { openMysqlHarness } from '../../packages/driver-mysql/test/mysql-harness.js';
import { openPostgresHarness } from '../../packages/driver-postgres/test/postgres-harness.js';

const drivers: DriverUnderTest<unknown>[] = [
  { name: 'memory', open: async () => openMemoryHarness() },
  { name: 'postgres', open: async () => openPostgresHarness(inject('postgresUrl')) },
  { name: 'mysql', open: async () => openMysqlHarness(inject('mysqlUrl'), 'mysql') },
];
const mariadbUrl = inject('mariadbUrl');
if (mariadbUrl !== undefined) {
  drivers.push({ name: 'mariadb', open: async () => openMysqlHarness(mariadbUrl, 'mariadb') });
}

describeModel(...drivers);
