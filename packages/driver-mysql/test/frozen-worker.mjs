// A worker process that stands still while its handler runs: for frozen.test.ts, which starts it and describes it.
import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { complete, createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';

const LIMIT_MS = 1_000;

const say = (word) => writeSync(1, `${word}\n`);
const blocks = process.env.BLOCKS !== undefined;
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };

const handler = (claim) =>
  defineHandler({
    kind: claim,
    claim,
    payload: anything,
    async run({ job }) {
      if (job.payload !== 'first') return complete('back at work');
      say('running');
      if (blocks) readSync(0, Buffer.alloc(1));
      else await once(process.stdin, 'data');
      return complete('the zombie');
    },
  });

const driver = mysql({ uri: process.env.DATABASE_URL });
const claimSession = driver.claimSession.bind(driver);
driver.claimSession = () => {
  const held = claimSession({ idleLimitMs: LIMIT_MS });
  const lease = held.lease.bind(held);
  held.lease = (runId, jobs) => lease(runId, jobs, LIMIT_MS);
  return held;
};
const worker = createRowlock({ driver, handlers: [handler('hold'), handler('lease')] }).worker({
  concurrency: 1,
});
worker.on('lost', () => say('lost'));
await worker.start();
