import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';
import { forRequest, requestId, requestIds } from './request-ids.js';

const Mail = defineHandler({
  kind: 'mail.send',
  payload: z.object({ to: z.string() }),
  run: ({ job }) => console.log(`mail to ${job.payload.to}, for request ${requestId()}`),
});

const Ship = defineHandler({
  kind: 'order.ship',
  payload: z.object({ customer: z.string() }),
  // The mail is enqueued through the run's own transaction, and with the request's id.
  run: async ({ job, enqueue }) => enqueue(Mail, { payload: { to: job.payload.customer } }),
});

const rowlock = createRowlock({
  driver: postgres({ connectionString: process.env.DATABASE_URL }),
  handlers: [Ship, Mail],
  plugins: [requestIds()],
});
await rowlock.migrate();
const worker = rowlock.worker();
const sent = new Promise<void>((done) => worker.on('settled', ({ kind }) => kind === 'mail.send' && done()));
await worker.start();

// The web server: its middleware calls `forRequest` around everything that it does for a request.
await forRequest('7f3a', () => rowlock.enqueue(Ship, { payload: { customer: 'ada@example.com' } }));
await sent; // mail to ada@example.com, for request 7f3a
await worker.stop();
await rowlock.close();
