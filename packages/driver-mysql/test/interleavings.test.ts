import { describeInterleavings } from '@rowlock/driver-conformance/internal';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

describeInterleavings({ name: product, open: async () => openMysqlHarness(serverUrl, product) });
