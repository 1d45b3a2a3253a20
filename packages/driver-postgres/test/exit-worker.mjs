// A worker process whose handler ends it: for crash.test.ts, which starts it.
import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const Exit = defineHandler({ kind: 'exit', payload: anything, run: () => process.exit(7) });

const driver = postgres({ connectionString: process.env.DATABASE_URL });
await createRowlock({ driver, handlers: [Exit] })
  .worker({ concurrency: 1 })
  .start();
