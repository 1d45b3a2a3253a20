import { describeInterleavings } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openMysqlHarness } from './mysql-harness.js';

describeInterleavings({ name: 'mysql', open: async () => openMysqlHarness(inject('mysqlUrl')) });
