import { describeContention } from '@rowlock/driver-conformance/internal';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

describeContention({ name: product, open: async () => openMysqlHarness(serverUrl, product) });
