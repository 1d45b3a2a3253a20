// A process that watches a Rowlock and closes nothing: for unused.test.ts, which starts it.
import { createRowlock, defineHandler } from '@rowlock/core';
import { memory } from '@rowlock/driver-memory';
import { health, openTelemetry, prometheus } from '@rowlock/telemetry';

const payload = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const Work = defineHandler({ kind: 'work', payload, run: () => {} });
const [metrics, telemetry] = [prometheus(), openTelemetry()];
const rowlock = createRowlock({ driver: memory(), handlers: [Work], plugins: [metrics, telemetry] });
await rowlock.migrate();
metrics.watch(rowlock);
telemetry.watch(rowlock);
await rowlock.enqueue(Work, { payload: 1 });
await metrics.text();
// Its answer never comes.
const silent = { insight: { verify: () => new Promise(() => {}), workers: async () => [] } };
if (process.argv[2] === 'slow') void health(silent).check();
else await health(rowlock).check();
console.log('watched');
