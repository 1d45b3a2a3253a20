import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';

const sql = statements('rowlock');
const ROWS = 1_000_000;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** A claim must not look at what it cannot take, however much of it there is: counted in pages, not in time. */
describe('with a million settled and a million future-dated rows', () => {
  let client: pg.Client;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    drop = database.drop;
    const driver = postgres({ connectionString: database.url });
    await driver.migrate();
    await driver.close();
    client = new pg.Client(database.url);
    await client.connect();
    await fill(client);
  }, 240_000);

  afterAll(async () => {
    await client.end();
    await drop();
  });

  const explain = (text: string, values: unknown[]): Promise<Plan> => explained(client, text, values);

  test('a claim walks its own index and touches a handful of pages', async () => {
    const plan = await explain(sql.claimOne, ['q', -32_768, 0, ['k'], []]);
    expect(indexes(plan)).toEqual(['job_claim']);
    expect(pages(plan)).toBeLessThan(20);
  });

  test('so does a claim of several', async () => {
    const plan = await explain(sql.claim, ['q', -32_768, 0, ['k'], [], 10]);
    expect(indexes(plan)).toEqual(['job_claim']);
    expect(pages(plan)).toBeLessThan(40);
  });

  test('so does a claim that finds nothing', async () => {
    const plan = await explain(sql.claimOne, ['q', 32_767, 0, ['k'], []]);
    expect(indexes(plan)).toEqual(['job_claim']);
    expect(pages(plan)).toBeLessThan(20);
  });

  test('vacuum does not wait for a fifth of the history', async () => {
    const { rows } = await client.query<{ option: string }>(
      "SELECT unnest(reloptions) AS option FROM pg_class WHERE oid = 'rowlock.job'::regclass",
    );
    expect(rows.map(({ option }) => option)).toEqual([
      'autovacuum_vacuum_scale_factor=0.02',
      'autovacuum_vacuum_threshold=1000',
    ]);
  });

  test('siblings and dependencies of a key are found without its history', async () => {
    for (const siblings of [
      await explain(sql.lockKey, ['q', 'busy', 100]),
      await explain(sql.lockSiblings, ['q', ['busy', 'rare', 'none'], 100]),
    ]) {
      expect(indexes(siblings)).toEqual(['job_outstanding']);
      expect(pages(siblings)).toBeLessThan(50);
    }
    const dependency = await explain(sql.firstOutstanding, ['busy', ['k'], 10_000_000, []]);
    expect(indexes(dependency)).toEqual(['job_outstanding']);
    expect(pages(dependency)).toBeLessThan(50);
  });

  test('what is asked for each job is planned once in a session, and not each time', async () => {
    await isPlannedOnce(client, ['q', 0, 0, ['k'], ['busy']]);
  });

  test('a survey asks the indexes alone', async () => {
    const plan = await explain(sql.survey, [['q'], ['k']]);
    expect(indexes(plan)).toContain('job_claim');
    expect(scanned(plan)).toEqual(['pause', 'follower']);
    expect(pages(plan)).toBeLessThan(100);
  });

  test('due jobs of many queues are found by the index of the claim alone, however many of the queues are empty', async () => {
    for (const queues of [
      ['q'],
      Array.from({ length: 1_000 }, (_, place) => `q${place === 500 ? '' : place}`),
    ]) {
      const plan = await explain(sql.dueQueues, [queues, ['k']]);
      expect(indexes(plan)).toEqual(['job_claim']);
      expect(pages(plan)).toBeLessThan(10 + 5 * queues.length);
      const { rows } = await client.query(sql.dueQueues, [queues, ['k']]);
      expect(rows).toEqual([{ queue: 'q' }]);
    }
  });

  test('jobs are moved by an index of their public ids', async () => {
    const { rows } = await client.query(
      "SELECT array_agg(public_id)::text AS ids FROM (SELECT public_id FROM rowlock.job WHERE status = 'complete' LIMIT 50) AS few",
    );
    const { ids } = rows[0];
    expect(pages(await explain(sql.move, [ids, '{new}', 'cancelled', 'h', null]))).toBeLessThan(1_000);
  });
});

test('behind the dead rows that an old snapshot keeps a claim is planned once in a session, too', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.migrate();
  await driver.close();
  const [client, old] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([client.connect(), old.connect()]);
  await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await old.query('SELECT count(*) FROM rowlock.job');
  const add = "INSERT INTO rowlock.job (queue, kind) SELECT 'q', 'k' FROM generate_series(1, $1::int)";
  await client.query(add, [100_000]);
  await client.query("UPDATE rowlock.job SET status = 'complete', finished_at = now()");
  await client.query(add, [24]);
  await client.query('ANALYZE rowlock.job');
  await isPlannedOnce(client, ['q', 0, 100_012, ['k'], []]);
  await old.end();
  await client.end();
  await database.drop();
});

test('beside many records what is asked for a few jobs is planned once, too', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.migrate();
  await driver.close();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("INSERT INTO rowlock.job (queue, kind) SELECT 'q', 'k' FROM generate_series(1, 20000)");
  await client.query(
    `INSERT INTO rowlock.run (process_id, job_id, worker_id)
     SELECT gen_random_uuid(), job_id, 1 FROM generate_series(1, 10000) AS job_id`,
  );
  await client.query('ANALYZE');
  const records = [1, 2, 5, 24].map((runs) => {
    const ids = Array.from({ length: runs }, (_, place) => 20_001 + place);
    const runIds = ids.map(() => randomUUID());
    const values = [runIds, ids.map(() => 1), ids, ids[0], ids.at(-1), ids.map(() => 0)];
    return [`record of ${runs}`, [sql.startRuns, values]] as const;
  });
  const batches = [2, 5, 500].map((jobs) => {
    const ids = Array.from({ length: jobs }, (_, place) => 10_001 + place);
    const values = [ids, randomUUID(), 1, 0, 1, 'host', 'new', ids.at(-1)];
    return [`settlement of ${jobs}`, [sql.settleAlike, values]] as const;
  });
  const ending = ['retry', 'new', 1, 0, 1_000, 1, null, '{}', 'host'].map((value) => [value]);
  await arePlannedOnce(client, {
    ...Object.fromEntries([...records, ...batches]),
    survey: [sql.survey, [['q'], ['k']]],
    settle: [sql.settle, [[1], [randomUUID()], ...ending, 'new', [1]]],
    'complete with what a handler wrote': [sql.completeAll, [3, null, 1, 0, 0, 'host', 'new']],
    'settle and commit': [sql.settleAll, [[2], [randomUUID()], ...ending, 'new', [2]]],
  });
  await client.end();
  await database.drop();
});

test('of many jobs whose time has come a survey reads those that it promotes', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.migrate();
  await driver.close();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, available_at, due)
     SELECT 'q', 'k', now() - n * interval '1 ms', false FROM generate_series(1, 100000) AS n`,
  );
  await client.query('VACUUM ANALYZE rowlock.job');
  const plan = await explained(client, sql.survey, [['q', 'other'], ['k']]);
  expect(indexes(plan)).toContain('job_later');
  expect(scanned(plan)).toEqual(['pause', 'follower']);
  expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Sort');
  await client.end();
  await database.drop();
});

test('a hundred thousand jobs that wait for a limit cost neither other jobs nor the look for them', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.migrate();
  await driver.close();
  const client = new pg.Client(database.url);
  await client.connect();
  const limits = '{"a":2}';
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, limits)
     SELECT 'q', 'k', CASE n % 1000 WHEN 0 THEN '' WHEN 1 THEN '{"b":1}' ELSE $1 END FROM generate_series(1, 100000) AS n`,
    [limits],
  );
  await client.query(
    "INSERT INTO rowlock.limit_slot (name, n) SELECT 'a', n FROM generate_series(1, 2) AS n",
  );
  await client.query('VACUUM ANALYZE');
  const [claim, limited] = [
    ['q', -32_768, 0, ['k'], []],
    ['q', -32_768, 0, ['k'], [], limits, ['a'], [2], 'rowlock'],
  ];
  for (const [text, values, index, most] of [
    [sql.claimOne, claim, 'job_claim', 20],
    [sql.claimLimited, limited, 'job_limited', 60],
    [sql.limitedParts, [['q', 'other'], '', 1_000], 'job_limited', 40],
  ] as const) {
    // The first call in a session reads the catalog, for the plans of the function.
    await explained(client, text, [...values]);
    const plan = await explained(client, text, [...values]);
    expect(indexes(plan)).toEqual([index]);
    expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Sort');
    expect(pages(plan)).toBeLessThan(most);
  }
  const survey = await explained(client, sql.survey, [['q'], ['k']]);
  // The table of the schedules is empty, and has no page to read.
  expect(scanned(survey)).toEqual(['pause', 'follower', 'schedule']);
  expect(pages(survey)).toBeLessThan(40);
  await arePlannedOnce(client, {
    claim: [sql.claimOne, claim],
    'claim with a limit': [sql.claimLimited, limited],
    parts: [sql.limitedParts, [['q'], '', 1_000]],
  });
  await client.end();
  await database.drop();
});

test('a hundred thousand jobs of a paused queue cost a claim and a survey nothing, and those of a paused limit neither', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.migrate();
  const client = new pg.Client(database.url);
  await client.connect();
  const limits = '{"a":2}';
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, limits)
     SELECT 'q', 'k', CASE n % 2 WHEN 0 THEN '' ELSE $1 END FROM generate_series(1, 200000) AS n`,
    [limits],
  );
  await client.query('VACUUM ANALYZE');
  const asked = {
    claim: [sql.claimOne, ['q', -32_768, 0, ['k'], []]],
    several: [sql.claim, ['q', -32_768, 0, ['k'], [], 10]],
    limited: [sql.claimLimited, ['q', -32_768, 0, ['k'], [], limits, ['a'], [2], 'rowlock']],
    parts: [sql.limitedParts, [['q'], '', 1_000]],
    survey: [sql.survey, [['q'], ['k']]],
  } satisfies Readonly<Record<string, readonly [text: string, values: unknown[]]>>;
  for (const target of [
    { scope: 'queue', name: 'q' },
    { scope: 'limit', name: 'a' },
  ] as const) {
    await driver.pause({ ...target, until: null, reason: null, by: 'test' });
    for (const [text, values] of Object.values(asked))
      expect(pages(await explained(client, text, values))).toBeLessThan(50);
    await arePlannedOnce(client, {
      [`claim, ${target.scope}`]: asked.claim,
      [`limited, ${target.scope}`]: asked.limited,
    });
    await client.query('DEALLOCATE ALL');
    await driver.resume(target);
  }
  await client.end();
  await driver.close();
  await database.drop();
});

async function explained(client: pg.Client, text: string, values: unknown[]): Promise<Plan> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  await client.query('ROLLBACK');
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('No plan.');
  return plan;
}

/** The statements of a job, with a claim of these values. */
async function isPlannedOnce(client: pg.Client, claim: unknown[]): Promise<void> {
  await arePlannedOnce(client, {
    claim: [sql.claimOne, claim],
    complete: [sql.complete, [1, null, 1, 0, 0, 'host', 'new']],
  });
}

async function arePlannedOnce(
  client: pg.Client,
  asked: Readonly<Record<string, readonly [text: string, values: unknown[]]>>,
): Promise<void> {
  // The first five times the server makes a plan for the values, to compare what it costs with that of one for any values.
  for (let times = 0; times < 10; times++) {
    for (const [name, [text, values]] of Object.entries(asked)) {
      await client.query('BEGIN');
      await client.query({ name, text, values }).catch(() => {});
      await client.query('ROLLBACK');
    }
  }
  const { rows } = await client.query<{ name: string; custom_plans: string }>(
    'SELECT name, custom_plans FROM pg_prepared_statements',
  );
  expect(Object.fromEntries(rows.map(({ name, custom_plans: times }) => [name, times]))).toEqual(
    Object.fromEntries(Object.keys(asked).map((name) => [name, '5'])),
  );
}

/** Settled rows first, then future-dated ones, then ten that are due. Of the settled, half have one key. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, key, status, finished_at, due)
     SELECT 'q', 'k', CASE WHEN n % 2 = 0 THEN 'busy' WHEN n % 100001 = 0 THEN 'rare' END, 'complete', now(), true
     FROM generate_series(1, $1::int) AS n`,
    [ROWS],
  );
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, available_at, due)
     SELECT 'q', 'k', now() + n * interval '1 minute', false FROM generate_series(1, $1::int) AS n`,
    [ROWS],
  );
  await client.query(
    "INSERT INTO rowlock.job (queue, kind, key) SELECT 'q', 'k', 'busy' FROM generate_series(1, 10)",
  );
  await client.query('ANALYZE rowlock.job');
}

function nodes(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

/** The tables that are read from end to end. */
function scanned(plan: Plan): readonly string[] {
  const scans = nodes(plan).filter((node) => node['Node Type'] === 'Seq Scan');
  return [...new Set(scans.flatMap((node) => node['Relation Name'] ?? []))];
}

function indexes(plan: Plan): readonly string[] {
  return [...new Set(nodes(plan).flatMap((node) => node['Index Name'] ?? []))];
}

function pages(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
