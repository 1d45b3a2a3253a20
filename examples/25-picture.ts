import { EventEmitter, once } from 'node:events';
import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const signs = new EventEmitter();
const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  run: async () => {
    signs.emit('begun');
    await once(signs, 'finish');
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();
await rowlock.enqueueMany(Mail, [
  { payload: { to: 'ada' }, key: 'a' },
  { payload: { to: 'bob' }, key: 'b', delay: '1h' },
]);

const begun = once(signs, 'begun');
const worker = rowlock.worker();
await worker.start();
await begun;
const later = await rowlock.enqueue(Mail, { payload: { to: 'ada, again' }, key: 'a' });

const { jobs, more } = await rowlock.insight.picture({ queue: 'mail' });
console.log(jobs.map(({ state }) => state).join(', '), more); // running, key, delayed false
const waits = jobs.find(({ publicId }) => publicId === later.publicId);
console.log(waits?.waitsFor === jobs[0]?.publicId, jobs[0]?.run?.worker === worker.name); // true true

signs.emit('finish');
await worker.stop();
await rowlock.close();
