// A worker under a tracing tool: for describe-tools.ts, which starts it.
import { watchSpans } from './spans.mjs';

const JOBS = 40;

const { TOOL, DRIVER, DATABASE_URL } = process.env;
// The tool patches the database's client while the client is loaded.
const spans = await watchSpans(TOOL);
const { createRowlock, defineHandler } = await import('@rowlock/core');
const driver = await openDriver();

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const run = async ({ tx, job }) => {
  await tx.query('SELECT 1 AS one');
  if (job.payload === 7) await tx.query('SELECT nothing FROM nowhere');
};
const Hold = defineHandler({ kind: 'hold', payload: anything, attempts: 1, run });
const Batch = defineHandler({ kind: 'batch', payload: anything, batch: 5, attempts: 1, run: () => {} });
const Lease = defineHandler({ kind: 'lease', payload: anything, attempts: 1, claim: 'lease', run });

const rowlock = createRowlock({ driver, handlers: [Hold, Batch, Lease], log: silent() });
const worker = rowlock.worker({ concurrency: 4 });
let left = 3 * JOBS;
const done = new Promise((resolve) => {
  worker.on('settled', (_, endings) => {
    left -= endings.size;
    if (left === 0) resolve();
  });
});
await worker.start();
for (const handler of [Hold, Batch, Lease]) {
  await rowlock.enqueueMany(
    handler,
    Array.from({ length: JOBS }, (_, payload) => ({ payload })),
  );
}
await done;
const counts = {
  complete: (await rowlock.jobs.count({ status: 'complete', upTo: 1_000_000 })).count,
  error: (await rowlock.jobs.count({ status: 'error' })).count,
};
await worker.stop();
await rowlock.close();
const unended = await spans.unended(10_000);
console.log(JSON.stringify({ counts, begun: spans.begun, unended }));
process.exit(0);

async function openDriver() {
  if (DRIVER === 'postgres')
    return (await import('@rowlock/driver-postgres')).postgres({ connectionString: DATABASE_URL });
  return (await import('@rowlock/driver-mysql')).mysql({ uri: DATABASE_URL });
}

function silent() {
  const nothing = () => {};
  return { debug: nothing, info: nothing, warn: nothing, error: nothing };
}
