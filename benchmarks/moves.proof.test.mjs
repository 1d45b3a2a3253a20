import { readFileSync } from 'node:fs';
import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { installPeers } from './install-peers.mjs';

// The pages that move another queue's jobs, beside that queue.

let peers;

beforeAll(async () => {
  await installPeers();
  peers = await import('./peers/waiting-jobs.mjs');
}, 300_000);

const ON_POSTGRES = [
  {
    peer: 'pg-boss',
    open: (url) => peers.pgBoss(url),
    states: `SELECT data->>'sort' AS sort, state::text AS state FROM pgboss.job`,
    waiting: `
      SELECT name AS kind, NULL AS key, data AS payload, -priority AS priority, start_after AS at,
        retry_limit + 1 - retry_count AS attempts, singleton_key AS unique_key
      FROM pgboss.job WHERE state IN ('created', 'retry')`,
    failed: 'retry',
    running: 'active',
    done: 'completed',
  },
  {
    peer: 'graphile-worker',
    open: (url) => peers.graphileWorker(url),
    states: `
      SELECT payload->>'sort' AS sort,
        CASE WHEN locked_at IS NOT NULL THEN 'locked' WHEN attempts > 0 THEN 'tried' ELSE 'waits' END AS state
      FROM graphile_worker._private_jobs`,
    waiting: `
      SELECT identifier AS kind, queue_name AS key, payload::jsonb, job.priority, run_at AS at,
        max_attempts - attempts AS attempts, job.key AS unique_key
      FROM graphile_worker._private_jobs AS job
      JOIN graphile_worker._private_tasks AS task ON task.id = task_id
      LEFT JOIN graphile_worker._private_job_queues AS queue ON queue.id = job_queue_id
      WHERE job.locked_at IS NULL`,
    failed: 'tried',
    running: 'locked',
  },
  {
    peer: 'sidequest',
    open: (url) => peers.sidequest('postgres', url),
    states: `SELECT args->0->>'sort' AS sort, state FROM sidequest_jobs WHERE state <> 'waiting' OR attempt > 0`,
    waiting: `
      SELECT class AS kind, NULL AS key, args AS payload, 0 AS priority, available_at AS at,
        max_attempts - attempt AS attempts, NULL AS unique_key
      FROM sidequest_jobs WHERE state = 'waiting'`,
    failed: 'waiting',
    running: 'running',
    done: 'completed',
  },
];

test.each(ON_POSTGRES)('the SQL of the page moves what waits in $peer, each job once', async (of) => {
  const { url, client, rowlock } = await onPostgres();
  const peer = await of.open(url);
  endsWithTest(peer);
  await expect.poll(() => statesOf(client, of), { timeout: 60_000 }).toEqual(settledStates(of));

  const waiting = sorted((await client.query(of.waiting)).rows);
  expect(waiting).toHaveLength(90);
  // Twice at once, and once more.
  const [first, second] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([first.connect(), second.connect()]);
  const [statement] = blocksOf(of.peer, 'sql');
  const answers = await Promise.all([first.query(statement), second.query(statement)]);
  await Promise.all([first.end(), second.end()]);
  expect(answers.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(90);
  expect((await client.query(statement)).rowCount).toBe(0);

  expect(sorted((await client.query(MOVED)).rows)).toEqual(waiting);
  // What runs goes on there, and ends there.
  expect((await client.query(of.waiting)).rows).toEqual([]);
  peer.letGo();
  await expect
    .poll(async () => (await client.query(of.states)).rows.filter(({ state }) => state === of.running))
    .toEqual([]);
  expect((await rowlock.jobs.count({ status: 'new' })).count).toBe(90);
});

test('a job whose unique key is taken stays where it is', async () => {
  const { url, client, rowlock } = await onPostgres();
  const peer = await peers.graphileWorker(url);
  peer.letGo();
  await peer.close();
  const [statement] = blocksOf('graphile-worker', 'sql');
  const { rows } = await client.query(
    `SELECT key FROM graphile_worker._private_jobs WHERE key IS NOT NULL LIMIT 1`,
  );
  const taken = rows[0].key;
  await rowlock.enqueue(anyOf('plain'), { payload: {}, unique: taken });
  await client.query(statement);
  const left = await client.query(
    'SELECT key FROM graphile_worker._private_jobs WHERE attempts < max_attempts',
  );
  expect(left.rows).toEqual([{ key: taken }]);
});

test('the SQL of the page moves what waits in Sidequest on MySQL, each job once', async () => {
  const database = await freshMysqlDatabase(inject('mysqlUrl'));
  onTestFinished(() => database.drop());
  const rowlock = createRowlock({ driver: mysql({ uri: database.url }) });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  // Sidequest writes times of this process's zone.
  const uri = { uri: database.url, multipleStatements: true, timezone: 'Z' };
  const client = await createConnection(uri);
  onTestFinished(() => client.end());
  const peer = await peers.sidequest('mysql', database.url);
  endsWithTest(peer);
  const of = {
    states: `SELECT args->>'$[0].sort' AS sort, state FROM sidequest_jobs WHERE state <> 'waiting' OR attempt > 0`,
    failed: 'waiting',
    running: 'running',
    done: 'completed',
  };
  const rows = async (text) => (await client.query(text))[0];
  await expect
    .poll(async () => counted(await rows(of.states)), { timeout: 60_000 })
    .toEqual(settledStates(of));
  const waitingText = `
    SELECT class AS kind, NULL AS \`key\`, args AS payload, 0 AS priority, available_at AS at,
      max_attempts - attempt AS attempts, NULL AS unique_key
    FROM sidequest_jobs WHERE state = 'waiting'`;
  const waiting = sorted(await rows(waitingText));
  expect(waiting).toHaveLength(90);
  const [, statements] = blocksOf('sidequest', 'sql');
  await client.query(statements);
  await client.query(statements);
  const moved = await rows(
    'SELECT kind, `key`, payload, priority, available_at AS at, max_attempts AS attempts, unique_key FROM rowlock_job',
  );
  expect(sorted(moved)).toEqual(waiting);
  expect(await rows(waitingText)).toEqual([]);
});

test('the script of the page moves what waits in BullMQ, also when it dies between a job and the next', async () => {
  const { url, client, rowlock } = await onPostgres();
  const peer = await peers.bullmq(url);
  endsWithTest(peer);
  await expect
    .poll(
      async () => {
        const { completed, delayed, active } = await peer.queue.getJobCounts(
          'completed',
          'delayed',
          'active',
        );
        return { completed, delayed, active };
      },
      { timeout: 60_000 },
    )
    .toEqual({ completed: 5, delayed: 20, active: 5 });
  await peer.addOthers();

  const found = await peer.queue.getJobs(['waiting', 'paused', 'prioritized', 'delayed'], 0, -1, true);
  const waiting = sorted(
    found.map((job) => ({
      kind: job.name,
      payload: job.data,
      priority: job.opts.priority ?? 0,
      attempts: 4 - job.attemptsMade,
      due: job.name === 'later' || job.name === 'failed' ? 'in an hour' : 'now',
    })),
  );
  expect(waiting).toHaveLength(90);
  const [script] = blocksOf('bullmq', 'js').filter((code) => code.includes('export'));
  const { move } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const dying = {
    async enqueue(...args) {
      await rowlock.enqueue(...args);
      if ((await rowlock.jobs.count()).count === 30) throw new Error('killed');
    },
  };
  await expect(move(peer.queue, dying)).rejects.toThrow('killed');
  expect(await move(peer.queue, rowlock)).toBe(61);
  expect(await move(peer.queue, rowlock)).toBe(0);

  const moved = await client.query(`
    SELECT kind, payload, priority, max_attempts AS attempts,
      CASE WHEN available_at > now() + interval '50 minutes' THEN 'in an hour' ELSE 'now' END AS due
    FROM rowlock.job`);
  expect(sorted(moved.rows)).toEqual(waiting);
});

const MOVED = `
  SELECT kind, key, payload, priority, available_at AS at, max_attempts AS attempts, unique_key FROM rowlock.job`;

async function onPostgres() {
  const database = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const rowlock = createRowlock({ driver: postgres({ connectionString: database.url }) });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  return { url: database.url, client, rowlock };
}

function endsWithTest(peer) {
  onTestFinished(async () => {
    peer.letGo();
    await peer.close();
  });
}

/** The blocks of a page in one language. */
function blocksOf(peer, language) {
  const page = readFileSync(new URL(`../docs/judge/from-${peer}.md`, import.meta.url), 'utf8');
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code]) => code,
  );
}

async function statesOf(client, { states }) {
  return counted((await client.query(states)).rows);
}

/** How many jobs of the sorts that a worker takes are in which state. */
function counted(rows) {
  const counts = {};
  for (const { sort, state } of rows) {
    if (!['failed', 'running', 'done'].includes(sort)) continue;
    counts[`${sort} ${state}`] = (counts[`${sort} ${state}`] ?? 0) + 1;
  }
  return counts;
}

/** A peer that deletes what is done has no state for it. */
function settledStates({ failed, running, done }) {
  return { [`failed ${failed}`]: 20, [`running ${running}`]: 5, ...(done && { [`done ${done}`]: 5 }) };
}

function sorted(rows) {
  const number = ({ payload }) => [payload].flat()[0].n;
  return rows.map((row) => ({ ...row })).sort((one, other) => number(one) - number(other));
}

function anyOf(kind) {
  return { kind, payload: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } } };
}
