import { describeCrash } from '@rowlock/driver-conformance/internal';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from './postgres-harness.js';

describeCrash({
  name: 'postgres',
  open: async () => openPostgresHarness(inject('postgresUrl')),
  program: new URL('exit-worker.mjs', import.meta.url),
});
