import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  attempts: 1,
  run: ({ job }) => {
    if (job.payload.to === 'nobody') throw new Error('no such address');
  },
});

const log = { debug() {}, info() {}, warn() {}, error() {} };
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail], log });
await rowlock.migrate();
const jobs = await rowlock.enqueueMany(Mail, [{ payload: { to: 'ada' } }, { payload: { to: 'nobody' } }]);

const worker = rowlock.worker({ name: 'ann' });
await worker.start();
for (const { publicId } of jobs) await rowlock.settled(publicId);
await worker.stop();

const { runs } = await rowlock.insight.runs({ queue: 'mail', outcome: 'fail' });
for (const { worker, kind, error } of runs) console.log(worker, kind, error?.message); // ann mail.send no such address

const { points } = await rowlock.insight.trend({ last: '1h', queue: 'mail' });
const sum = points.reduce((before, { settled }) => before + settled, 0);
console.log(points.length, sum); // 61 2

await rowlock.close();
