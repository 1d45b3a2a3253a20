import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  run: ({ job }) => `sent to ${job.payload.to}`,
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();

await rowlock.as('Ada').jobs.pause({ queue: 'mail' }, { reason: 'the provider is down' });
const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'bob' } });
const { reasons } = await rowlock.insight.explain(publicId);
console.log(reasons.map(({ reason }) => reason).join(', ')); // paused, unserved

const worker = rowlock.worker();
await worker.start();
await rowlock.jobs.resume({ queue: 'mail' });
const { status, output } = await rowlock.settled(Mail, publicId, { timeout: '30s' });
console.log(status, output); // complete sent to bob

await worker.stop();
const [lane] = (await rowlock.insight.stats()).lanes;
console.log(lane?.kind, lane?.hour.completed); // mail.send 1
await rowlock.close();
