// A long process that offers jobs and runs them, and tells on standard output how that goes, until SIGTERM. What the harness wants of it
// is in its CONTRIBUTING_ADAPTERS.md. `node main.mjs [MODULE]` runs another system in the same way.
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from './environment.mjs';
import { Latencies } from './latencies.mjs';
import { Ledger } from './ledger.mjs';
import { produce, rateNow } from './producer.mjs';
import { emit, sample } from './samples.mjs';

/** The harness waits for ten seconds. */
const END_MS = 5_000;
const EFFECT = 'INSERT INTO effect (id) VALUES ($1)';

const environment = readEnvironment();
const { open } = await import(process.argv[2] ?? './rowlock.mjs');
const { workMs, payloadBytes, effectEvery, producer, instance } = environment;
const ledger = new Ledger(environment.ledger);
const told = { enqueued: 0, completed: 0, depth: 0, claims: new Latencies(), ends: new Latencies() };
const ended = new AbortController();
const startedAt = new Date().toISOString();

async function run({ id, at }, query) {
  ledger.begun(id);
  told.claims.add(Date.now() - at);
  if (workMs > 0) await sleep(workMs);
  if (effectEvery > 0 && Number(id.slice(id.lastIndexOf('-') + 1)) % effectEvery === 0)
    await query(EFFECT, [id]);
  told.ends.add(Date.now() - at);
  told.completed += 1;
  ledger.ended(id);
}

const system = await open(environment, run);
const { descriptor } = system;
emit({
  kind: 'descriptor',
  ...descriptor,
  db_name: new URL(environment.url).pathname.slice(1),
  started_at: startedAt,
});

const padding = 'x'.repeat(Math.max(0, payloadBytes - 80));
const prefix = `${instance}-${process.pid}-${Date.now().toString(36)}`;
let next = 0;

async function offer(jobs) {
  const from = next;
  next += jobs;
  const at = Date.now();
  ledger.offered(prefix, from, jobs);
  await system.enqueue(
    Array.from({ length: jobs }, (_, place) => ({ id: `${prefix}-${from + place}`, at, padding })),
  );
  ledger.acknowledged(prefix, from, jobs);
  told.enqueued += jobs;
}

async function depth() {
  // While the server is away, it is what it was.
  if (instance === 0) told.depth = await system.depth().catch(() => told.depth);
  return told.depth;
}

async function read() {
  await depth();
  return { ...told, target: rateNow(producer) };
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => ended.abort());
await system.start();
const producing = produce(producer, { offer, depth, signal: ended.signal });
const sampling = sample({ ...environment, system: descriptor.system }, read, ended.signal);
producing.catch(fail);
sampling.catch(fail);
await new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
setTimeout(() => process.exit(0), END_MS).unref();
await sampling;
await system.stop().catch((error) => console.error(error));
process.exit(0);

function fail(error) {
  console.error(error);
  process.exit(1);
}
