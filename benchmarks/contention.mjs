// What workers cost a producer. Two processes of five slots each, whose runs hold their rows for 50 ms; a producer inserts
// 5,000 jobs of 200 keys, one at a time, without the workers and beside them, in alternating rounds. On each database,
// printed: the producer's inserts, the median of the rounds with their least and most, the difference of the longest ones,
// and what must be zero: deadlocks and other faults, jobs that were lost, and jobs that took effect twice.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase, mysqlForTests, postgresForTests } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { z } from 'zod';

const ROUNDS = 3;
const JOBS = 5_000;
const KEYS = 200;
const HOLD_MS = 50;
const CREWS = 2;
const CONCURRENCY = 5;
/** For each database: rather no result than a run without end. */
const LIMIT_MS = 150_000;

const systems = {
  postgres: {
    start: postgresForTests,
    fresh: freshDatabase,
    driver: (url) => postgres({ connectionString: url }),
    effect: (tx, job) => tx.query('INSERT INTO effect VALUES ($1)', [job]),
    async open(url) {
      const client = new pg.Client(url);
      await client.connect();
      return { ask: async (sql) => (await client.query(sql)).rows, end: () => client.end() };
    },
    counters: 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  },
  mysql: {
    start: mysqlForTests,
    fresh: freshMysqlDatabase,
    driver: (url) => mysql({ uri: url }),
    effect: (tx, job) => tx.execute('INSERT INTO effect VALUES (?)', [job]),
    async open(url) {
      const client = await createConnection(url);
      return { ask: async (sql) => (await client.query(sql))[0], end: () => client.end() };
    },
    // The longest wait for a row is in milliseconds.
    counters: `SELECT name, count FROM information_schema.innodb_metrics
               WHERE name IN ('lock_deadlocks', 'lock_row_lock_waits', 'lock_row_lock_time_max')`,
  },
};

if (process.env.CREW_OF !== undefined) await serve(systems[process.env.CREW_OF], process.env.CREW_URL);
else await compare(process.argv.slice(2));

async function compare(wanted) {
  for (const [name, system] of Object.entries(systems)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const server = await system.start();
    const database = await system.fresh(server.url);
    const over = setTimeout(() => {
      console.error(`${name}: not done in ${LIMIT_MS / 1000} s.`);
      process.exit(1);
    }, LIMIT_MS);
    const result = await contend(name, system, database.url);
    clearTimeout(over);
    await database.drop();
    await server.stop();
    console.log(name, JSON.stringify(result, null, 2));
    if (result.troubles.length + result.lost + result.doubled > 0) process.exitCode = 1;
  }
}

async function contend(name, system, url) {
  const producer = createRowlock({ driver: system.driver(url), handlers: handlers(system) });
  await producer.migrate();
  const plain = await system.open(url);
  await plain.ask('CREATE TABLE effect (job VARCHAR(40))');
  await insert(producer, 'alone', 500);

  const rounds = { alone: [], beside: [] };
  const troubles = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.alone.push(await insert(producer, 'alone', JOBS));
    const crews = await Promise.all(Array.from({ length: CREWS }, () => startCrew(name, url, troubles)));
    rounds.beside.push(await insert(producer, 'contended', JOBS));
    while ((await producer.count({ queue: 'contended', status: 'new' })).new > 0) await sleep(20);
    await Promise.all(crews.map(stopCrew));
  }

  const [row] = await plain.ask('SELECT COUNT(*) AS every, COUNT(DISTINCT job) AS jobs FROM effect');
  const server = await plain.ask(system.counters);
  const counts = await producer.count({ queue: 'contended' });
  await plain.end();
  await producer.close();
  const longer = rounds.beside.map(({ longest }, round) => longest - rounds.alone[round].longest);
  return {
    alone: spreads(rounds.alone),
    besideWorkers: spreads(rounds.beside),
    longestMoreMs: longer.map(rounded),
    troubles,
    lost: ROUNDS * JOBS - Number(row.jobs),
    doubled: Number(row.every) - Number(row.jobs),
    complete: counts.complete,
    server,
  };
}

function handlers(system) {
  const payload = z.number();
  const alone = defineHandler({ kind: 'alone', queue: 'alone', payload, group: true, run() {} });
  const contended = defineHandler({
    kind: 'contended',
    queue: 'contended',
    payload,
    group: true,
    async run({ jobs, tx }) {
      for (const { publicId } of jobs) await system.effect(tx, publicId);
      await sleep(HOLD_MS);
    },
  });
  return [alone, contended];
}

/** A process of its own: the producer's times are not those of the workers' event loop. */
async function startCrew(name, url, troubles) {
  const child = fork(import.meta.filename, { env: { ...process.env, CREW_OF: name, CREW_URL: url } });
  child.on('message', (message) => {
    if (message !== 'started') troubles.push(message);
  });
  await once(child, 'message');
  return child;
}

async function stopCrew(child) {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

async function serve(system, url) {
  const [, contended] = handlers(system);
  const crew = createRowlock({ driver: system.driver(url), handlers: [contended] });
  const worker = crew.worker({ concurrency: CONCURRENCY });
  worker.on('fault', (error) => process.send(`fault: ${error}`));
  worker.on('lost', (_, error) => process.send(`lost: ${error}`));
  await worker.start();
  process.send('started');
  await once(process, 'disconnect');
  await worker.stop();
  await crew.close();
}

async function insert(producer, kind, jobs) {
  const times = [];
  for (let place = 0; place < jobs; place++) {
    const begin = performance.now();
    await producer.enqueue(kind, { key: `key-${(place * 7) % KEYS}`, payload: place });
    times.push(performance.now() - begin);
  }
  const longest = Math.max(...times);
  const at = times.indexOf(longest);
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(jobs / 2)], p99: times[Math.ceil(jobs * 0.99) - 1], longest, longestAt: at };
}

function spreads(rounds) {
  return Object.fromEntries(
    Object.keys(rounds[0]).map((name) => {
      const sorted = rounds.map((round) => rounded(round[name])).sort((a, b) => a - b);
      return [name, `${sorted[Math.floor(ROUNDS / 2)]} (${sorted[0]} to ${sorted.at(-1)})`];
    }),
  );
}

function rounded(ms) {
  return Math.round(ms * 100) / 100;
}
