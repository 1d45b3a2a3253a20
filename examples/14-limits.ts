import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

let [running, most, open] = [0, 0, 7];

const Mail = defineHandler({
  kind: 'mail',
  payload: z.object({ tenant: z.string() }),
  // at most 3 mails at once in all processes together, and 1 of each tenant
  limit: ({ payload }) => [
    { name: 'mail', max: 3 },
    { name: `mail of ${payload.tenant}`, max: 1 },
  ],
  async run() {
    running += 1;
    most = Math.max(most, running);
    await sleep(20);
    running -= 1;
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();
for (const tenant of ['acme', 'acme', 'acme', 'bolt', 'bolt', 'core', 'dyno'])
  await rowlock.enqueue(Mail, { payload: { tenant } });

const worker = rowlock.worker({ concurrency: 10 });
const done = new Promise<void>((resolve) => worker.on('settled', () => --open === 0 && resolve()));
await worker.start();
await done;
console.log(most <= 3); // true
await worker.stop();
await rowlock.close();
