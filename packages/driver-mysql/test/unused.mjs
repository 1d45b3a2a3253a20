// A process that opens a driver and does not close it: for unused.test.ts, which starts it.
import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';

const driver = mysql({ uri: process.env.DATABASE_URL });
if (process.argv[2] === 'refused')
  try {
    createRowlock({ driver, handlers: [{ kind: '' }] });
    console.log('taken');
  } catch {
    console.log('refused');
  }
if (process.argv[2] === 'used') {
  await driver.workers.list();
  console.log('used');
}
if (process.argv[2] === 'enqueued') {
  const payload = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
  await createRowlock({ driver }).enqueue({ kind: 'work', payload }, { payload: 1 });
  console.log('enqueued');
}
