import { createRowlock, DriverError, defineHandler } from '@rowlock/core';
import { expect, onTestFinished, test } from 'vitest';
import { memory } from '../src/index.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const TRIES = 4;

test('leases that cannot be settled have one line however often they are tried, and one when it is over', async () => {
  const driver = memory();
  const session = driver.claims.session.bind(driver.claims);
  driver.claims.session = (options) => {
    const opened = session(options);
    const settle = opened.settle.bind(opened);
    let left = TRIES;
    opened.settle = async (settlements) => {
      left -= 1;
      if (left >= 0) throw new DriverError('ConnectionLost', 'The database is away.');
      return settle(settlements);
    };
    return opened;
  };
  const lines: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, line: string) => void lines.push(line) };
  const Work = defineHandler({ kind: 'work', payload: Anything, claim: 'lease', run: () => {} });
  const rowlock = createRowlock({ driver, handlers: [Work], log });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  await rowlock.enqueueMany(
    Work,
    Array.from({ length: 3 }, () => ({ payload: 1 })),
  );
  const worker = rowlock.worker({ concurrency: 3 });
  const settled = new Promise<void>((resolve) => {
    let left = 3;
    worker.on('settled', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
  await worker.start();
  await settled;
  await worker.stop();
  const ofLeases = lines.filter((line) => line.includes('lease'));
  expect(ofLeases).toEqual(['a lease could not be settled; trying again', 'leases are settled again']);
});
