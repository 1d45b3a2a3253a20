// A process that opens a driver and does not close it: for unused.test.ts, which starts it.
import { createRowlock } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';

const driver = postgres({ connectionString: process.env.DATABASE_URL });
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
