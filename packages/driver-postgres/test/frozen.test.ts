import { describeFrozen } from '@rowlock/driver-conformance/internal';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from './postgres-harness.js';

describeFrozen({
  name: 'postgres',
  open: async () => openPostgresHarness(inject('postgresUrl')),
  program: new URL('frozen-worker.mjs', import.meta.url),
});
