import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const EVERY_MS = 200; // for an hour 3_600_000; or whatever your cron parser says is next

// Enqueues the next one. However often this is called, and by however many processes, a time has one job.
async function scheduleAfter(ms: number): Promise<void> {
  const at = (Math.floor(ms / EVERY_MS) + 1) * EVERY_MS;
  const unique = { key: new Date(at).toISOString(), scope: 'ever' } as const;
  await rowlock.enqueue(Report, { payload: { at }, runAt: new Date(at), unique });
}

const Report = defineHandler({
  kind: 'report',
  payload: z.object({ at: z.number() }),
  async run({ job }) {
    // First, and not through `tx`: it is there also when this one fails. Never again for `at`, if this clock is behind.
    await scheduleAfter(Math.max(Date.now(), job.payload.at));
    times.push(job.payload.at);
  },
});

const times: number[] = [];
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Report] });
await rowlock.migrate();
const worker = rowlock.worker();
const thrice = new Promise<void>((done) => worker.on('settled', () => times.length >= 3 && done()));
await worker.start();

await scheduleAfter(Date.now()); // each process, when it starts
await thrice;
await worker.stop();
await rowlock.close();
console.log(times.length === new Set(times).size); // true: no time has two
