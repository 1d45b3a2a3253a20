import { describeDriver } from '@rowlock/driver-conformance';
import { openMemoryHarness } from './memory-harness.js';

describeDriver({
  name: 'memory, sessions shared',
  open: async () => openMemoryHarness('shared'),
  themes: ['wake-ups'],
});
