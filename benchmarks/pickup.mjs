// Pickup while idle: from the call of enqueue to the start of the handler, one job at a time, with a pause between two.
// Beside it in the same run, bare SQL: INSERT and NOTIFY on one connection; on another, LISTEN, BEGIN and the locking
// SELECT. Rounds alternate; the median of the rounds' percentiles is printed, with their least and most.
import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg';
import { z } from 'zod';

const ROUNDS = 5;
const JOBS = 200;
const PAUSE_MS = 20;

const server = await postgresForTests({ fsync: true });
const database = await freshDatabase(server.url);
const systems = { rowlock: await rowlockPickup(database.url), 'bare SQL': await barePickup(database.url) };
const rounds = Object.fromEntries(Object.keys(systems).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, { pickup }] of Object.entries(systems)) rounds[name].push(await measure(pickup));
}
for (const { end } of Object.values(systems)) await end();
await database.drop();
await server.stop();

for (const [name, percentiles] of Object.entries(rounds)) {
  console.log(`${name.padEnd(9)} p50 ${spread(percentiles, 'p50')}   p99 ${spread(percentiles, 'p99')}`);
}
const ratios = rounds.rowlock.map(({ p50 }, round) => p50 / rounds['bare SQL'][round].p50);
console.log(`ratio of the p50, round by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`);

async function measure(pickup) {
  const times = [];
  for (let job = 0; job < JOBS; job++) {
    times.push(await pickup());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  times.sort((a, b) => a - b);
  return { p50: times[JOBS / 2], p99: times[Math.ceil(JOBS * 0.99) - 1] };
}

function spread(percentiles, name) {
  const sorted = percentiles.map((each) => each[name]).sort((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(ROUNDS / 2)], sorted[ROUNDS - 1]];
  return `${median.toFixed(2)} ms (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

async function rowlockPickup(url) {
  let started = () => {};
  const Noop = defineHandler({ kind: 'noop', payload: z.object({}), run: () => started(performance.now()) });
  const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [Noop] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  await worker.start();
  return {
    async pickup() {
      const start = new Promise((resolve) => {
        started = resolve;
      });
      const begin = performance.now();
      await rowlock.enqueue(Noop, { payload: {} });
      return (await start) - begin;
    },
    async end() {
      await worker.stop();
      await rowlock.close();
    },
  };
}

async function barePickup(url) {
  const [producer, worker] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([producer.connect(), worker.connect()]);
  await producer.query('CREATE TABLE bare (id bigserial PRIMARY KEY, done boolean DEFAULT false)');
  await worker.query('LISTEN bare');
  return {
    async pickup() {
      const notified = new Promise((resolve) => worker.once('notification', resolve));
      const begin = performance.now();
      await producer.query('INSERT INTO bare DEFAULT VALUES');
      await producer.query('NOTIFY bare');
      await notified;
      await worker.query('BEGIN');
      await worker.query('SELECT id FROM bare WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED');
      const took = performance.now() - begin;
      await worker.query('UPDATE bare SET done = true WHERE NOT done');
      await worker.query('COMMIT');
      return took;
    },
    async end() {
      await producer.end();
      await worker.end();
    },
  };
}
