import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Mail = defineHandler({
  kind: 'mail.send',
  payload: z.object({ to: z.string() }),
  run: ({ job }) => console.log(`mail to ${job.payload.to}`),
});

const Ship = defineHandler({
  kind: 'order.ship',
  payload: z.object({ customer: z.string() }),
  retry: { base: '10ms' },
  async run({ job, enqueue }) {
    // The mail is enqueued by the commit that settles this job, or not at all.
    await enqueue(Mail, { payload: { to: job.payload.customer } });
    if (job.attempt === 1) throw new Error('no parcel'); // undoes the enqueue as well
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Ship, Mail] });
await rowlock.migrate();
const worker = rowlock.worker();
const sent = new Promise<void>((done) => worker.on('settled', ({ kind }) => kind === 'mail.send' && done()));
await worker.start();
await rowlock.enqueue(Ship, { payload: { customer: 'ada@example.com' } });
await sent;
const { count } = await rowlock.jobs.count({ kind: 'mail.send', status: 'complete' });
console.log(count); // 1, though it was shipped in two attempts
await worker.stop();
await rowlock.close();
