import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Image = z.object({ image: z.string() });

const Shrink = defineHandler({
  kind: 'image.shrink',
  payload: Image,
  run: ({ job }) => console.log(`small ${job.payload.image}`),
});
const Upload = defineHandler({
  kind: 'image.upload',
  payload: Image,
  async run({ job, enqueue }) {
    await enqueue(Shrink, { payload: job.payload });
    await enqueue(Shrink, { payload: { image: 'again' }, delay: '1d' });
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Upload, Shrink] });
await rowlock.migrate();
await rowlock.enqueue(Upload, { payload: { image: 'ada.png' } });

// A worker that ends when no job can run now: in a script, a test, or a function that a timer calls.
const { ended, completed, remaining } = await rowlock.runUntilIdle({ atMost: '50s' });
console.log(ended, completed, remaining.waiting.count); // idle 2 1
await rowlock.close();
