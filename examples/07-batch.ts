import { createRowlock, fail } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Resize = defineHandler({
  kind: 'picture.resize',
  payload: z.object({ picture: z.number() }),
  batch: 50, // up to 50 jobs are claimed together, run at the same time, and settled by one statement and one commit
  async run({ job }) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (job.payload.picture === 7) return fail('no picture'); // harms none of the others
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Resize] });
await rowlock.migrate();

const pictures = Array.from({ length: 100 }, (_, picture) => ({ payload: { picture } }));
await rowlock.enqueueMany(Resize, pictures);

const worker = rowlock.worker({ concurrency: 2 });
let open = pictures.length;
const done = new Promise<void>((resolve) =>
  worker.on('settled', ({ jobs }) => {
    open -= jobs.length;
    if (open === 0) resolve();
  }),
);
await worker.start();
await done;

const complete = await rowlock.jobs.count({ status: 'complete' });
console.log(complete); // { count: 99, more: false }
await worker.stop();
await rowlock.close();
