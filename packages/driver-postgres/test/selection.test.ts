import type { Driver } from '@rowlock/core';
import type { JobFilter, JobPage, Jobs, Page } from '@rowlock/core/driver';
import type { Members } from '@rowlock/core/types';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

const SETTLED = 200_000;
const LOOK = 2_000;
const PAGE = { limit: 50, before: null, look: LOOK };

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** What a call reads, counted in pages, not in time. */
describe('with 200,000 settled jobs and 30,000 that wait', () => {
  let driver: Driver<PostgresTransaction>;
  let client: pg.Client;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    driver = postgres({ connectionString: database.url });
    await driver.schema.migrate();
    client = new pg.Client(database.url);
    await client.connect();
    drop = async () => {
      await client.end();
      await driver.close();
      await database.drop();
    };
    await fill(client);
  }, 120_000);

  afterAll(() => drop());

  const FOUND: readonly (readonly [name: string, filter: JobFilter, most: number])[] = [
    ['all jobs', {}, 1_000],
    ['a key with little history', { key: 'rare' }, 100],
    ['a key with much history', { key: 'busy' }, 1_000],
    ['what failed of a key', { key: 'busy', status: 'error' }, 3_000],
    ['what failed', { status: 'error' }, 1_000],
    ['what failed or was cancelled', { status: ['error', 'cancelled'] }, 1_000],
    ['what failed with a code', { status: 'error', error: { code: 'E_RARE' } }, 3_000],
    ['what waits', { queue: 'few', status: 'new' }, 5_000],
    ['what is outstanding in a queue', { queue: 'few', status: ['new', 'in-progress'] }, 1_500],
    [
      'what is outstanding in several queues',
      { queue: ['few', 'none'], status: ['new', 'in-progress'] },
      1_500,
    ],
    ['what several queues have', { queue: ['few', 'many'] }, 1_500],
    ['what waits in many queues', { status: 'new' }, 100_000],
    // Beside many that wait it is found among the records of the live workers.
    ['what runs', { status: 'in-progress' }, 10_000],
    ['what runs in a queue', { queue: 'few', status: 'in-progress' }, 5_000],
    ['a kind', { kind: ['k', 'other'] }, 1_500],
    ['a kind that is rare', { kind: 'rare' }, 500],
    ['a part of the payload', { payload: { n: -1 } }, 500],
    ['some time', { settled: { from: new Date(0), before: new Date(1) } }, 500],
  ];

  for (const [name, filter, most] of FOUND) {
    test(`a page of ${name} is read by an index, and no more of it than a page needs`, async () => {
      const plans = await plansOf((jobs) => jobs.list(filter, PAGE));
      expect(sum(plans.map(pages)), JSON.stringify(plans.map(indexes))).toBeLessThan(most);
      const counts = await plansOf((jobs) => jobs.count(filter, PAGE));
      expect(sum(counts.map(pages))).toBeLessThan(most);
      expect(sum((await plansOf((jobs) => jobs.entries(filter, PAGE))).map(pages))).toBeLessThan(most);
    });
  }

  test('what is far behind is found by looks that go on', async () => {
    const payload: Members = { n: 5 };
    const found: string[] = [];
    let before: Page['before'] = null;
    let looks = 0;
    do {
      const page: JobPage = await driver.jobs.list({ payload }, { limit: 50, before, look: 50_000 });
      found.push(...page.jobs.map((job) => JSON.stringify(job.payload)));
      before = page.next;
      looks += 1;
    } while (before !== null);
    expect(found).toEqual(['{"n":5}']);
    expect(looks).toBe(5);
  });

  /** The plans of the statements that a call sends. */
  async function plansOf(call: (jobs: Jobs) => Promise<unknown>) {
    const plans: Plan[] = [];
    const tx: PostgresTransaction = {
      async query(given, values) {
        const text = typeof given === 'string' ? given : given.text;
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
          values ?? (typeof given === 'string' ? [] : given.values),
        );
        const plan = rows[0]?.['QUERY PLAN'][0].Plan;
        if (plan !== undefined && !text.startsWith('SELECT set_config')) plans.push(plan);
        return client.query(given, values);
      },
    };
    await client.query('BEGIN');
    await call(driver.join(tx).jobs);
    await client.query('ROLLBACK');
    return plans;
  }
});

async function fill(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, key, payload, status, error, finished_at)
     SELECT 'q', CASE WHEN n = 77 THEN 'rare' ELSE 'k' END,
       CASE WHEN n % 2 = 0 THEN 'busy' WHEN n % 50001 = 0 THEN 'rare' END, jsonb_build_object('n', n),
       CASE WHEN n % 100 = 0 THEN 'error' WHEN n % 100 = 1 THEN 'cancelled' ELSE 'complete' END,
       CASE WHEN n % 100 = 0 THEN '{"code": "E", "message": "It failed."}'::jsonb END, now()
     FROM generate_series(1, $1::int) AS n`,
    [SETTLED],
  );
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, payload, available_at, due)
     SELECT CASE WHEN n % 100 = 0 THEN 'few' ELSE 'many' END, 'k', jsonb_build_object('n', -n - 1),
       now() + n % 3 * interval '1 minute', n % 3 = 0
     FROM generate_series(1, 30000) AS n`,
  );
  await client.query(`
    INSERT INTO rowlock.worker (id, name, host, pid, queues, alive_until)
      VALUES (1, 'w', 'h', 1, '{q}', now() + interval '1 hour');
    INSERT INTO rowlock.run (process_id, job_id, worker_id)
      SELECT gen_random_uuid(), id, 1 FROM rowlock.job WHERE status = 'new' AND due AND queue = 'few' LIMIT 10;
    INSERT INTO rowlock.run (process_id, job_id, worker_id)
      SELECT gen_random_uuid(), id, 1 FROM rowlock.job WHERE status = 'complete';`);
  await client.query('VACUUM ANALYZE');
}

function nodes(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

function indexes(plan: Plan): readonly string[] {
  return [...new Set(nodes(plan).flatMap((node) => node['Index Name'] ?? node['Node Type']))];
}

function pages(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
