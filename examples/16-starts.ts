import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const starts: number[] = [];
let open = 5;

const Geocode = defineHandler({
  kind: 'geocode',
  payload: z.object({ user: z.string() }),
  // in all processes together 10 starts a second, evenly spaced, and 5 of each user
  limit: ({ payload }) => [
    { name: 'maps', starts: 10, per: '1s' },
    { name: `maps of ${payload.user}`, starts: 5, per: '1s' },
  ],
  run() {
    starts.push(performance.now());
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Geocode] });
await rowlock.migrate();
const began = performance.now();
for (const user of ['ada', 'ada', 'bob', 'bob', 'cy']) await rowlock.enqueue(Geocode, { payload: { user } });

const worker = rowlock.worker({ concurrency: 5 });
const done = new Promise<void>((resolve) => worker.on('settled', () => --open === 0 && resolve()));
await worker.start();
await done;
console.log(starts.length, Math.max(...starts) - began >= 400); // 5 true
await worker.stop();
await rowlock.close();
