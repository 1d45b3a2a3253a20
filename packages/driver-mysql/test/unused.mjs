// A process that opens a driver and does not close it: for unused.test.ts, which starts it.
import { createRowlock, defineHandler } from '@rowlock/core';
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
if (process.argv[2] === 'worked') {
  const payload = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
  const Work = defineHandler({ kind: 'work', queue: 'own', payload, run: () => {} });
  const rowlock = createRowlock({
    driver,
    handlers: [Work],
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const worker = rowlock.worker({ concurrency: 3 });
  const settled = new Promise((resolve) => worker.on('settled', resolve));
  await worker.start();
  await rowlock.enqueue(Work, { payload: 1 });
  await settled;
  await worker.stop();
  console.log('worked');
}
if (process.argv[2] === 'held') {
  const slot = await createRowlock({ driver }).limits.slots('printer', { max: 1 }).acquire();
  await slot[Symbol.asyncDispose]();
  console.log('held');
}
