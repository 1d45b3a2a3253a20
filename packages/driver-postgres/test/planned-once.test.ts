import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { inject, test } from 'vitest';
import { frequent } from '../src/connection/named-statements.js';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';
import { arePlannedOnce } from './plan.js';

const sql = statements('rowlock');
const LIMITS = '{"a":2}';
const TABLES = ['job', 'run', 'open_run', 'limit_slot', 'rate'];
const ENDING = ['retry', 'new', 1, 0, 1_000, 1, null, '{}', 'host'].map((value) => [value]);

/** Tables of which the planner expects much for any values, and little for those of a worker. */
const STAGES = {
  'few jobs that are due, and many that are settled or later': `
    INSERT INTO rowlock.job (queue, kind, status, process_id, started_at, finished_at)
    SELECT 'q1', 'k', 'complete', gen_random_uuid(), now(), now() FROM generate_series(1, 20000);
    INSERT INTO rowlock.job (queue, kind, available_at, due) SELECT 'q1', 'k', now() + interval '1 day', false FROM generate_series(1, 2000);
    INSERT INTO rowlock.job (queue, kind) SELECT 'q1', 'k' FROM generate_series(1, 20)`,
  'many jobs that are leased': `
    INSERT INTO rowlock.job (queue, kind, status, process_id, leased_until)
    SELECT 'q' || n % 10, 'k', 'in-progress', gen_random_uuid(), now() + interval '1 day' FROM generate_series(1, 20000) AS n`,
  'many jobs that are due, of many limits and keys': `
    INSERT INTO rowlock.job (queue, kind, limits, key)
    SELECT 'q' || n % 10, 'k' || n % 3, CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN '${LIMITS}' ELSE '{"t' || n % 100 || '":1}' END, 'key' || n % 1000
    FROM generate_series(1, 30000) AS n;
    INSERT INTO rowlock.limit_slot (name, n) SELECT 't' || t, 1 FROM generate_series(1, 1000) AS t;
    INSERT INTO rowlock.limit_slot (name, n) SELECT 'a', n FROM generate_series(1, 2) AS n;
    INSERT INTO rowlock.rate (name) SELECT 'r' || t FROM generate_series(1, 1000) AS t`,
  'few rows on the pages of many': `
    INSERT INTO rowlock.rate (name) SELECT 'r' || t FROM generate_series(1, 20000) AS t;
    DELETE FROM rowlock.rate WHERE name NOT IN ('r1', 'r20000');
    INSERT INTO rowlock.open_run (process_id, worker_id, job_ids, first_id, last_id, jobs_before)
    SELECT gen_random_uuid(), 1, ARRAY[n, n + 1], n, n + 1, now() FROM generate_series(1, 20000) AS n;
    DELETE FROM rowlock.open_run WHERE last_id < 20000;
    INSERT INTO rowlock.limit_slot (name, n) SELECT 'a', n FROM generate_series(1, 20000) AS n;
    DELETE FROM rowlock.limit_slot WHERE n BETWEEN 3 AND 19999`,
} satisfies Readonly<Record<string, string>>;

const CLAIM = ['q1', -32_768, 0, ['k'], []];

/** What each prepared statement of a worker is given, but for two: one has no values, and the plan for several keys depends on the keys. */
const GIVEN = {
  claim: [...CLAIM, 10],
  claimOne: CLAIM,
  claimLimited: [...CLAIM, LIMITS, ['a'], [2], 'rowlock'],
  claimWithSlot: [...CLAIM, LIMITS, 'a', 1],
  checkSlot: ['a', 2],
  lockKey: ['q1', 'key1', 10],
  firstOutstanding: ['key1', ['k'], 100, [7]],
  startRuns: [[randomUUID()], [1], [1], 1, 1, [0]],
  startTogether: [randomUUID(), 1, [1, 2], 1, 2, [0, 0], 0],
  lease: [randomUUID(), [1], 60_000, 1, ['a'], [1]],
  lockLeased: [randomUUID(), [1], true],
  settle: [[1], [randomUUID()], ...ENDING, 'new', [1]],
  settleAll: [[1], [randomUUID()], ...ENDING, 'new', [1]],
  complete: [1, null, 1, 0, 0, 'host', 'new'],
  completeAll: [1, null, 1, 0, 0, 'host', 'new'],
  settleAlike: [[1, 2], randomUUID(), 1, 0, 1, 'host', 'new', 2],
  survey: [['q1'], ['k']],
  dueQueues: [['q1', 'q2'], ['k']],
  reclaim: [1, ['q1'], [], '1', []],
  limitedParts: [['q1'], '', 1_000],
  takeStarts: [['r1'], [10], [1_000], [10], randomUUID()],
  giveBackStarts: [['r1'], randomUUID()],
  notifySoon: ['rowlock', ['{}']],
} satisfies Readonly<
  Record<Exclude<keyof ReturnType<typeof frequent>, 'flush' | 'lockSiblings'>, readonly unknown[]>
>;

const stages = Object.entries(STAGES).flatMap(([what, fill]) => [
  { what, fill },
  { what: `${what}, without statistics`, fill, analyzes: false },
]);
for (const { what, fill, analyzes = true } of stages)
  test(`beside ${what} a worker's statements are planned once in a session`, async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    const driver = postgres({ connectionString: database.url });
    await driver.schema.migrate();
    await driver.close();
    const client = new pg.Client(database.url);
    await client.connect();
    // It could come at any time, and change what the planner expects.
    for (const table of TABLES)
      await client.query(`ALTER TABLE rowlock.${table} SET (autovacuum_enabled = false)`);
    await client.query(fill);
    if (analyzes) await client.query('VACUUM ANALYZE');
    const texts: Readonly<Record<string, string>> = frequent(sql);
    await arePlannedOnce(
      client,
      Object.fromEntries(
        Object.entries(GIVEN).map(([verb, values]) => [verb, [texts[verb] ?? '', [...values]]]),
      ),
    );
    await client.end();
    await database.drop();
  });
