// For crash.test.ts, which starts it.
import { exitWorker } from '@rowlock/driver-conformance/programs';
import { postgres } from '@rowlock/driver-postgres';

await exitWorker(postgres({ connectionString: process.env.DATABASE_URL }));
