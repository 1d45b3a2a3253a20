import { describeContention } from '@rowlock/driver-conformance/internal';
import { openMemoryHarness } from './memory-harness.js';

describeContention({ name: 'memory', open: async () => openMemoryHarness() });
