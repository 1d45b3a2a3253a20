import { describeDriver } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openMysqlHarness } from './mysql-harness.js';
import { testWholeSuite } from './whole-suite.js';

describeDriver({ name: 'mysql', open: async () => openMysqlHarness(inject('mysqlUrl')) });
testWholeSuite();
