// Pickup while idle: from the call of enqueue to the start of the handler, one job at a time, with a pause between two, on
// servers that write each commit through to the disk. Beside it in the same run, bare SQL on the same server: one connection
// inserts and calls, another is woken, begins and locks the row. Rounds alternate; printed are the medians of the rounds'
// percentiles with their least and most. Then nothing is enqueued for a while: what an idle worker costs the server, beside
// the server alone.
import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase, mysqlForTests, postgresForTests } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { z } from 'zod';
import { cpuSecondsOfChildren } from './cpu-seconds.mjs';

const ROUNDS = 5;
const JOBS = 200;
const PAUSE_MS = 20;
const IDLE_MS = 20_000;

const databases = {
  postgres: {
    start: postgresForTests,
    fresh: freshDatabase,
    drivers: { rowlock: (url) => postgres({ connectionString: url }) },
    bare: barePostgres,
  },
  mysql: {
    start: mysqlForTests,
    fresh: freshMysqlDatabase,
    drivers: {
      rowlock: (url) => mysql({ uri: url }),
      'rowlock, polling': (url) => mysql({ uri: url, push: false }),
    },
    bare: bareMysql,
  },
};

const wanted = process.argv.slice(2);
for (const [name, database] of Object.entries(databases)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const server = await database.start({ fsync: true });
  console.log(name);
  await reportPickup(database, server.url);
  await reportIdle(database, server.url);
  await server.stop();
}

async function reportPickup({ fresh, drivers, bare }, serverUrl) {
  const systems = { 'bare SQL': await bare((await fresh(serverUrl)).url) };
  for (const [name, driver] of Object.entries(drivers)) {
    systems[name] = await rowlockPickup(driver((await fresh(serverUrl)).url));
  }
  const rounds = Object.fromEntries(Object.keys(systems).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { pickup }] of Object.entries(systems)) rounds[name].push(await measure(pickup));
  }
  for (const { end } of Object.values(systems)) await end();

  for (const [name, percentiles] of Object.entries(rounds)) {
    const ratios = percentiles.map(({ p50 }, round) => (p50 / rounds['bare SQL'][round].p50).toFixed(2));
    console.log(
      `  ${name.padEnd(16)} p50 ${spread(percentiles, 'p50')}   p99 ${spread(percentiles, 'p99')}   p50 to bare SQL's ${ratios.join(' ')}`,
    );
  }
}

async function reportIdle({ fresh, drivers }, serverUrl) {
  console.log(`  idle server      ${await idleShare()} of a core`);
  for (const [name, driver] of Object.entries(drivers)) {
    const { end } = await rowlockPickup(driver((await fresh(serverUrl)).url));
    console.log(`  ${name.padEnd(16)} ${await idleShare()} of a core on the server, idle`);
    await end();
  }
}

async function measure(pickup) {
  const times = [];
  for (let job = 0; job < JOBS; job++) {
    times.push(await pickup());
    await pause(PAUSE_MS);
  }
  times.sort((a, b) => a - b);
  return { p50: times[JOBS / 2], p99: times[Math.ceil(JOBS * 0.99) - 1] };
}

async function idleShare() {
  // The server has its own work behind what came before.
  await pause(5_000);
  const [from, began] = [cpuSecondsOfChildren(), performance.now()];
  await pause(IDLE_MS);
  const share = (cpuSecondsOfChildren() - from) / ((performance.now() - began) / 1000);
  return `${(share * 100).toFixed(2)} %`;
}

function spread(percentiles, name) {
  const sorted = percentiles.map((each) => each[name]).sort((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(ROUNDS / 2)], sorted[ROUNDS - 1]];
  return `${median.toFixed(2)} ms (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function rowlockPickup(driver) {
  let started = () => {};
  const Noop = defineHandler({ kind: 'noop', payload: z.object({}), run: () => started(performance.now()) });
  const rowlock = createRowlock({ driver, handlers: [Noop] });
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

async function barePostgres(url) {
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

async function bareMysql(url) {
  const [producer, worker] = [await createConnection(url), await createConnection(url)];
  await producer.query(
    'CREATE TABLE bare (id BIGINT AUTO_INCREMENT PRIMARY KEY, done BOOLEAN DEFAULT FALSE, KEY (done, id))',
  );
  await worker.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  return {
    async pickup() {
      // It is asleep by the time the job is in.
      let asleep = true;
      const called = worker
        .query('SELECT SLEEP(10)')
        .catch(() => {})
        .finally(() => (asleep = false));
      const begin = performance.now();
      await producer.query('INSERT INTO bare VALUES ()');
      // A call that comes before the sleep is lost.
      while (asleep) await producer.query(`KILL QUERY ${worker.threadId}`);
      await called;
      await worker.query('START TRANSACTION');
      await worker.query('SELECT id FROM bare WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED');
      const took = performance.now() - begin;
      await worker.query('UPDATE bare SET done = TRUE WHERE NOT done');
      await worker.query('COMMIT');
      return took;
    },
    async end() {
      await producer.end();
      await worker.end();
    },
  };
}
