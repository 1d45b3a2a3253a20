// What workers cost a producer. Ten slots in two drivers, as in two processes, whose runs hold their rows for 50 ms; a producer
// inserts 5,000 jobs of 200 keys, one at a time, first without the workers and then beside them. On each database, printed:
// the producer's inserts, the difference of the longest ones, and what must be zero: deadlocks and other faults, jobs that
// were lost, and jobs that took effect twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase, mysqlForTests, postgresForTests } from '@rowlock/servers';
import { z } from 'zod';

const JOBS = 5_000;
const KEYS = 200;
const HOLD_MS = 50;
const CREWS = 2;
const CONCURRENCY = 5;
/** For each database: rather no result than a run without end. */
const LIMIT_MS = 55_000;

const systems = {
  postgres: {
    start: postgresForTests,
    fresh: freshDatabase,
    driver: (url) => postgres({ connectionString: url }),
    effect: (tx, job) => tx.query('INSERT INTO effect VALUES ($1)', [job]),
    ask: async (tx, sql) => (await tx.query(sql)).rows,
    counters: 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  },
  mysql: {
    start: mysqlForTests,
    fresh: freshMysqlDatabase,
    driver: (url) => mysql({ uri: url }),
    effect: (tx, job) => tx.execute('INSERT INTO effect VALUES (?)', [job]),
    ask: async (tx, sql) => (await tx.query(sql))[0],
    // The longest wait for a row is in milliseconds.
    counters: `SELECT name, count FROM information_schema.innodb_metrics
               WHERE name IN ('lock_deadlocks', 'lock_row_lock_waits', 'lock_row_lock_time_max')`,
  },
};

const results = {};
for (const [name, system] of Object.entries(systems)) {
  const server = await system.start();
  const database = await system.fresh(server.url);
  const over = setTimeout(() => {
    console.error(`${name}: not done in ${LIMIT_MS / 1000} s.`);
    process.exit(1);
  }, LIMIT_MS);
  results[name] = await contend(system, database.url);
  clearTimeout(over);
  await database.drop();
  await server.stop();
}
console.log(JSON.stringify(results, null, 2));
process.exitCode = Object.values(results).some(
  ({ troubles, lost, doubled }) => troubles.length + lost + doubled > 0,
)
  ? 1
  : 0;

async function contend(system, url) {
  const payload = z.number();
  const Alone = defineHandler({ kind: 'alone', queue: 'alone', payload, group: true, run() {} });
  const Contended = defineHandler({
    kind: 'contended',
    queue: 'contended',
    payload,
    group: true,
    async run({ jobs, tx }) {
      for (const { publicId } of jobs) await system.effect(tx, publicId);
      await sleep(HOLD_MS);
    },
  });
  const handlers = [Alone, Contended];
  const producer = createRowlock({ driver: system.driver(url), handlers });
  await producer.migrate();
  const plain = system.driver(url);
  const create = await plain.begin({ idleLimitMs: 60_000 });
  await system.ask(create.handle, 'CREATE TABLE effect (job VARCHAR(40))');
  await create.commit();

  // Warm.
  await insert(producer, Alone, 200);
  const without = await insert(producer, Alone, JOBS);

  const troubles = [];
  const crews = Array.from({ length: CREWS }, () =>
    createRowlock({ driver: system.driver(url), handlers: [Contended] }),
  );
  const workers = crews.map((crew) => crew.worker({ concurrency: CONCURRENCY }));
  for (const worker of workers) {
    worker.on('fault', (error) => troubles.push(`fault: ${error}`));
    worker.on('lost', (_, error) => troubles.push(`lost: ${error}`));
    await worker.start();
  }
  const begin = performance.now();
  const beside = await insert(producer, Contended, JOBS);
  let counts;
  do {
    await sleep(20);
    counts = await producer.count({ queue: 'contended' });
  } while (counts.new + counts['in-progress'] > 0);
  const took = performance.now() - begin;
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all(crews.map((crew) => crew.close()));

  const look = await plain.begin({ idleLimitMs: 60_000 });
  const [row] = await system.ask(
    look.handle,
    'SELECT COUNT(*) AS every, COUNT(DISTINCT job) AS jobs FROM effect',
  );
  const server = await system.ask(look.handle, system.counters);
  await look.rollback();
  await plain.close();
  await producer.close();
  return {
    withoutWorkers: without,
    besideWorkers: beside,
    longestMoreMs: rounded(beside.longestMs - without.longestMs),
    tookMs: Math.round(took),
    troubles,
    lost: JOBS - Number(row.jobs),
    doubled: Number(row.every) - Number(row.jobs),
    complete: counts.complete,
    server,
  };
}

async function insert(producer, handler, jobs) {
  const times = [];
  for (let place = 0; place < jobs; place++) {
    const begin = performance.now();
    await producer.enqueue(handler, { key: `key-${(place * 7) % KEYS}`, payload: place });
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return {
    p50Ms: rounded(times[Math.floor(jobs / 2)]),
    p99Ms: rounded(times[Math.ceil(jobs * 0.99) - 1]),
    longestMs: rounded(times.at(-1)),
  };
}

function rounded(ms) {
  return Math.round(ms * 100) / 100;
}
