import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Save = defineHandler({
  kind: 'draft.save',
  payload: z.object({ draft: z.string(), text: z.string() }),
  run: ({ job }) => console.log('saved', job.payload.text),
});
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Save] });
await rowlock.migrate();

// Saves the last text when nobody has typed for 200 ms, and within 2 s of the first key in any case.
const typed = (draft: string, text: string) =>
  rowlock.enqueue(Save, {
    payload: { draft, text },
    unique: { key: draft, onDuplicate: { debounce: { quiet: '200ms', max: '2s' } } },
  });
const outcomes = [];
for (const text of ['R', 'Ro', 'Row']) outcomes.push((await typed('7', text)).outcome);
console.log(...outcomes); // enqueued replaced replaced

const worker = rowlock.worker();
const saved = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
await worker.start();
await saved; // saved Row
await worker.stop();
await rowlock.close();
