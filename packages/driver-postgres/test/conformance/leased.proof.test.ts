import { describeDriver, testWholeSuite } from '@rowlock/driver-conformance';
import { inject } from 'vitest';
import '@rowlock/servers/vitest';
import { openPostgresHarness } from '../postgres-harness.js';

const part = { number: 1, of: 1, proofs: 'alone' } as const;

describeDriver({ name: 'postgres', open: async () => openPostgresHarness(inject('postgresUrl')), part });
testWholeSuite(part);
