import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

// A handler is the code for one kind of job.
const Greet = defineHandler({
  kind: 'greet',
  payload: z.object({ name: z.string().min(1) }),
  run: ({ job }) => `Hello ${job.payload.name}`,
});

const rowlock = createRowlock({
  driver: postgres({ connectionString: process.env.DATABASE_URL }),
  handlers: [Greet],
});
await rowlock.migrate();

// A worker claims jobs and runs their handlers. Start as many as you like, in as many processes as you like.
const worker = rowlock.worker({ concurrency: 5 });
const settled = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();

const { publicId } = await rowlock.enqueue(Greet, { payload: { name: 'Ada' } });
await settled;
const job = await rowlock.find(Greet, publicId);
console.log(job?.status, job?.output); // complete Hello Ada

await worker.stop();
await rowlock.close();
