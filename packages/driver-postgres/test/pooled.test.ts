import { describeDriver } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from './postgres-harness.js';

// The drivers find out by themselves that their sessions are shared.
describeDriver({
  name: 'postgres, through a pooler in transaction mode',
  open: async () => openPostgresHarness(inject('postgresUrl'), true),
  // What sessions matter for: runs with leases are in the proofs. The whole suite passes, and takes its time.
  themes: ['migrate', 'handler transaction', 'lost connection', 'leases', 'wake-ups'],
});
