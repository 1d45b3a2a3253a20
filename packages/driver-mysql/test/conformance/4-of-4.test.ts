import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { openMysqlHarness } from '../mysql-harness.js';
import { product, serverUrl } from '../server.js';

const part = { number: 4, of: 4, proofs: 'none' } as const;

describeDriver({ name: product, open: async () => openMysqlHarness(serverUrl, product), part });
testWholeSuite(part);
