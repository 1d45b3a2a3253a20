// For crash.test.ts, which starts it.
import { exitWorker } from '@rowlock/driver-conformance/programs';
import { mysql } from '@rowlock/driver-mysql';

await exitWorker(mysql({ uri: process.env.DATABASE_URL }));
