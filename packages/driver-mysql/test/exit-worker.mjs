// A worker process whose handler ends it: for crash.test.ts, which starts it.
import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const Exit = defineHandler({ kind: 'exit', payload: anything, run: () => process.exit(7) });

const driver = mysql({ uri: process.env.DATABASE_URL });
await createRowlock({ driver, handlers: [Exit] })
  .worker({ concurrency: 1 })
  .start();
