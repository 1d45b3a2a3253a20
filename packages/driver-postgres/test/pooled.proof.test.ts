import { describeDriver } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from './postgres-harness.js';

// The drivers find out by themselves that their sessions are shared.
describeDriver({
  name: 'postgres, through a pooler in transaction mode',
  open: async () => openPostgresHarness(inject('postgresUrl'), true),
  themes: ['leased runs'],
});
