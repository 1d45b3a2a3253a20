import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const shared = { kind: 'mail.send', retry: { base: '10ms', cap: '50ms' } } as const;

// The version that runs now. Its schema is strict, so it refuses what it would ignore otherwise.
const Before = defineHandler({ ...shared, payload: z.strictObject({ to: z.string() }), run: () => 'sent' });

// The next version has a new field. Its default takes the payloads that are there already.
const After = defineHandler({
  ...shared,
  payload: z.strictObject({ to: z.string(), language: z.string().default('en') }),
  run: ({ job }) => `sent in ${job.payload.language}`,
});

const open = () => postgres({ connectionString: process.env.DATABASE_URL });
const log = { debug() {}, info() {}, warn() {}, error() {} };
const before = createRowlock({ driver: open(), handlers: [Before], log });
const after = createRowlock({ driver: open(), handlers: [After], log });
await before.migrate();
const old = before.worker();
await old.start();

// A new producer comes before the new workers: the old worker refuses the job, and gives it back.
const refused = new Promise<void>((resolve) => old.on('settled', () => resolve()));
const { publicId } = await after.enqueue(After, { payload: { to: 'ada', language: 'fr' } });
await refused;
const waiting = await after.find(publicId);
console.log(waiting?.status, waiting?.attempt, waiting?.error?.code); // new 0 ROWLOCK_INVALID_PAYLOAD

await after.worker().start();
await old.stop();
console.log((await after.settled(publicId)).output); // sent in fr
await before.close();
await after.close();
