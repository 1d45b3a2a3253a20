import { describeContention } from '@rowlock/driver-conformance/internal';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from './postgres-harness.js';

describeContention({ name: 'postgres', open: async () => openPostgresHarness(inject('postgresUrl')) });
