import { describeInterleavings } from '@rowlock/driver-conformance/internal';
import { openMemoryHarness } from './memory-harness.js';

describeInterleavings({ name: 'memory', open: async () => openMemoryHarness() });
