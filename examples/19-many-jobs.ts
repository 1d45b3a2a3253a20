import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Mail = defineHandler({
  kind: 'mail.send',
  payload: z.object({ to: z.object({ country: z.string() }) }),
  attempts: 1,
  run() {
    throw Object.assign(new Error('the provider is down'), { code: 'E_PROVIDER' });
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();
const worker = rowlock.worker();
let failures = 0;
const failed = new Promise<void>((resolve) =>
  worker.on('failed', () => {
    failures += 1;
    if (failures === 3) resolve();
  }),
);
await worker.start();
for (const country of ['fr', 'it', 'fr']) await rowlock.enqueue(Mail, { payload: { to: { country } } });
await failed;
await worker.stop();

const french = { kind: 'mail.send', error: { code: 'E_PROVIDER' }, payload: { to: { country: 'fr' } } };
console.log(await rowlock.jobs.count({ ...french, status: 'error' })); // { count: 2, more: false }
console.log((await rowlock.jobs.redriveMany(french)).changed); // 2
console.log((await rowlock.jobs.list({ status: 'new' })).jobs.length); // 2
await rowlock.close();
