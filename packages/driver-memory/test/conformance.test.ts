import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { openMemoryHarness } from './memory-harness.js';

describeDriver({ name: 'memory', open: async () => openMemoryHarness() });
testWholeSuite();
