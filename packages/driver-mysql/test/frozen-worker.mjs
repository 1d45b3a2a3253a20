// For frozen.test.ts, which starts it.
import { frozenWorker } from '@rowlock/driver-conformance/programs';
import { mysql } from '@rowlock/driver-mysql';

await frozenWorker(mysql({ uri: process.env.DATABASE_URL }));
