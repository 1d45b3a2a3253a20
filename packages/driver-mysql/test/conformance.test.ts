import { describeDriver } from '@rowlock/driver-conformance';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';
import { testWholeSuite } from './whole-suite.js';

describeDriver({ name: product, open: async () => openMysqlHarness(serverUrl, product) });
testWholeSuite();
