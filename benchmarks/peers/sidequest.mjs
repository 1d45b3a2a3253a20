import { createRequire } from 'node:module';
import pg from 'pg';
import { Sidequest } from 'sidequest';
import { listener, Noop } from './sidequest-job.mjs';

const UNSETTLED = `SELECT count(*) AS jobs FROM sidequest_jobs WHERE state NOT IN ('completed', 'failed', 'canceled')`;

export async function open({ database, url, inProcess = false, concurrency, pollMs }) {
  const plain = await (database === 'mysql' ? connectMysql(url) : connectPostgres(url));
  const config = {
    backend: { driver: `@sidequest/${database}-backend`, config: backendConfig(database, url, concurrency) },
    logger: { level: 'error' },
    gracefulShutdown: false,
    dashboard: { enabled: false },
    ...(inProcess ? { fork: false, runner: 'inline' } : {}),
    ...(concurrency === undefined
      ? {}
      : { maxConcurrentJobs: concurrency, queues: [{ name: 'default', concurrency }] }),
    ...(pollMs === undefined ? {} : { jobPollingInterval: pollMs }),
  };
  await Sidequest.configure(config);
  const enqueue = (place) => Sidequest.build(Noop).enqueue(place);

  return {
    // There is no call for many.
    mostAtOnce: 1,
    enqueueMany: () => enqueue(0),
    /** One as Sidequest writes it, and copies of it. */
    async fill(jobs) {
      await enqueue(0);
      await plain.multiply(jobs - 1);
    },
    enqueue,
    async start(onRun) {
      listener.onRun = onRun;
      await Sidequest.start({ ...config, skipMigration: true });
    },
    stop: () => Sidequest.stop(),
    unsettled: plain.unsettled,
    /** Its jobs run in other processes, so that nobody here is told of them. */
    isRemote: !inProcess,
    async close() {
      await Sidequest.stop();
      await plain.end();
    },
  };
}

function backendConfig(database, url, concurrency) {
  if (concurrency === undefined) return url;
  return {
    connection: database === 'mysql' ? url : { connectionString: url },
    pool: { min: 0, max: concurrency },
  };
}

const COPIED = `SELECT column_name AS name FROM information_schema.columns
  WHERE table_name = 'sidequest_jobs' AND column_name <> 'id' AND table_schema = `;

async function connectPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async multiply(copies) {
      const { rows } = await client.query(`${COPIED} 'public'`);
      const columns = rows.map(({ name }) => `"${name}"`).join(', ');
      const text = `INSERT INTO sidequest_jobs (${columns}) SELECT ${columns} FROM sidequest_jobs, generate_series(1, $1)`;
      await client.query(text, [copies]);
    },
    unsettled: async () => Number((await client.query(UNSETTLED)).rows[0].jobs),
    end: () => client.end(),
  };
}

async function connectMysql(url) {
  // Whichever mysql2 the backend brings.
  const backend = createRequire(import.meta.resolve('@sidequest/mysql-backend'));
  const client = await backend('mysql2/promise').createConnection(url);
  return {
    async multiply(copies) {
      const [rows] = await client.query(`${COPIED} DATABASE()`);
      const columns = rows.map((row) => `\`${row.name ?? row.NAME}\``).join(', ');
      await client.query('SET SESSION cte_max_recursion_depth = 10000000');
      await client.query(
        `INSERT INTO sidequest_jobs (${columns})
         WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?)
         SELECT ${columns} FROM sidequest_jobs CROSS JOIN copy`,
        [copies],
      );
    },
    unsettled: async () => Number((await client.query(UNSETTLED))[0][0].jobs),
    end: () => client.end(),
  };
}
