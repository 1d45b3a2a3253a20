import { describeModel, describeModelFaults } from '@rowlock/driver-conformance/internal';
import { openMemoryHarness } from './memory-harness.js';

const memory = { name: 'memory', open: async () => openMemoryHarness() };

describeModel(memory);
describeModelFaults(memory);
