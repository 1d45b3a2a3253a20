// For frozen.test.ts, which starts it.
import { frozenWorker } from '@rowlock/driver-conformance/programs';
import { postgres } from '@rowlock/driver-postgres';

await frozenWorker(postgres({ connectionString: process.env.DATABASE_URL }));
