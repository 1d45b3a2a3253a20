import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Create = defineHandler({
  kind: 'sheet.create',
  queue: 'sheets',
  payload: z.object({ title: z.string() }),
  run: ({ job }) => console.log(`create ${job.payload.title}`),
});
const Update = defineHandler({
  kind: 'sheet.update',
  queue: 'sheets',
  payload: z.object({ click: z.number() }),
  after: ['sheet.create'], // waits until every earlier create of the same key is settled
  group: true, // one run takes the available updates of a key, up to 1,000; each keeps its own outcome
  run({ key, jobs }) {
    console.log(`update ${key}: ${jobs.length} clicks, one run`); // update budget: 30 clicks, one run
    return { clicks: jobs.length };
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Create, Update] });
await rowlock.migrate();

await rowlock.enqueue(Create, { key: 'budget', payload: { title: 'Budget' } });
const clicks = Array.from({ length: 30 }, (_, click) => ({ key: 'budget', payload: { click } }));
await rowlock.enqueueMany(Update, clicks);

const worker = rowlock.worker();
const updated = new Promise<void>((done) =>
  worker.on('settled', ({ kind }) => kind === 'sheet.update' && done()),
);
await worker.start();
await updated;
await worker.stop();
await rowlock.close();
