import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { openMemoryHarness } from '../memory-harness.js';

const part = { number: 3, of: 3 };

describeDriver({ name: 'memory', open: async () => openMemoryHarness(), part });
testWholeSuite(part);
