import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Report = defineHandler({
  kind: 'report',
  payload: z.object({ name: z.string() }),
  run: ({ job }) => console.log(job.payload.name),
});
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Report] });
await rowlock.migrate();

await rowlock.enqueue(Report, { payload: { name: 'second' } });
await rowlock.enqueue(Report, { payload: { name: 'first' }, priority: -10 }); // lower runs sooner
await rowlock.enqueue(Report, { payload: { name: 'third' }, delay: '300ms' });

// At most one outstanding job with this unique key, waiting or running.
const first = await rowlock.enqueue(Report, { payload: { name: 'tomorrow' }, unique: 'daily', delay: '1d' });
const again = await rowlock.enqueue(Report, { payload: { name: 'tomorrow' }, unique: 'daily', delay: '1d' });
console.log(again.outcome, again.publicId === first.publicId); // duplicate true
await rowlock.cancel(first.publicId);

const worker = rowlock.worker({ concurrency: 1 });
const third = new Promise<void>((done) => {
  let runs = 0;
  worker.on('settled', () => ++runs === 3 && done());
});
await worker.start();
await third; // first, second, third
await worker.stop();
await rowlock.close();
