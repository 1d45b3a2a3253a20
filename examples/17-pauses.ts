import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

let sent = 0;

const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  run() {
    sent += 1;
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();

await rowlock.as('Ada').jobs.pause({ queue: 'mail' }, { reason: 'the provider is down' });
for (const to of ['ada', 'bob', 'cyd']) await rowlock.enqueue(Mail, { payload: { to } });

const worker = rowlock.worker();
const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
await worker.start();
await idle;
const [pause] = await rowlock.jobs.pauses();
console.log(sent, pause?.reason, pause?.by); // 0 the provider is down Ada

const done = new Promise<void>((resolve) => worker.on('settled', () => sent === 3 && resolve()));
await rowlock.jobs.resume({ queue: 'mail' });
await done;
console.log(sent); // 3
await worker.stop();
await rowlock.close();
