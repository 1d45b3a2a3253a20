import { describeContention } from '@rowlock/driver-conformance';
import { openMemoryHarness } from './memory-harness.js';

describeContention({ name: 'memory', open: async () => openMemoryHarness() });
