import { createRowlock, defineSchedule } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const ticks: number[] = [];

const Report = defineHandler({
  kind: 'report',
  payload: z.object({ of: z.string() }),
  run({ job: { tick } }) {
    if (tick !== null) ticks.push(tick.scheduledFor.getTime());
  },
});

const rowlock = createRowlock({
  driver: postgres({ connectionString: process.env.DATABASE_URL }),
  handlers: [Report],
  schedules: {
    often: defineSchedule({ handler: Report, payload: { of: 'second' }, every: '1s' }),
    nightly: { handler: Report, payload: { of: 'day' }, cron: '0 3 * * *', timeZone: 'Europe/Berlin' },
  },
});
await rowlock.migrate();
const worker = rowlock.worker();
const twice = new Promise<void>((done) => worker.on('settled', () => ticks.length >= 2 && done()));
await worker.start(); // writes the schedules

await twice;
const [night] = await rowlock.schedules.preview('nightly', 1);
console.log(night?.toLocaleTimeString('de', { timeZone: 'Europe/Berlin' })); // 03:00:00
await worker.stop();
await rowlock.close();
console.log(new Set(ticks).size === ticks.length && ticks.every((ms) => ms % 1_000 === 0)); // true
