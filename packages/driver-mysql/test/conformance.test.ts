import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

describeDriver({ name: product, open: async () => openMysqlHarness(serverUrl, product) });
testWholeSuite();
