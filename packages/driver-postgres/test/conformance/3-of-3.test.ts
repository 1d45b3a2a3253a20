import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from '../postgres-harness.js';

const part = { number: 3, of: 3, proofs: 'none' } as const;

describeDriver({ name: 'postgres', open: async () => openPostgresHarness(inject('postgresUrl')), part });
testWholeSuite(part);
