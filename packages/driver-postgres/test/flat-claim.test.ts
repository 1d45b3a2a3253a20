import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';
import { describeFlatClaim } from './describe-flat-claim.js';
import { arePlannedOnce, explained, indexes, isPlannedOnce, nodes, pages, scanned } from './plan.js';

const sql = statements('rowlock');

describeFlatClaim(100_000);

test('behind the dead rows that an old snapshot keeps a claim is planned once in a session, too', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.schema.migrate();
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
  await driver.schema.migrate();
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
    return [`record of ${runs}`, [sql.runs.startRuns, values]] as const;
  });
  const batches = [2, 5, 500].map((jobs) => {
    const ids = Array.from({ length: jobs }, (_, place) => 10_001 + place);
    const values = [ids, randomUUID(), 1, 0, 1, 'host', 'new', ids.at(-1)];
    return [`settlement of ${jobs}`, [sql.settlements.settleAlike, values]] as const;
  });
  const ending = ['retry', 'new', 1, 0, 1_000, 1, null, '{}', 'host'].map((value) => [value]);
  await arePlannedOnce(client, {
    ...Object.fromEntries([...records, ...batches]),
    survey: [sql.surveys.survey, [['q'], ['k']]],
    reclaim: [sql.leases.reclaim, [1, ['q'], [], '1', []]],
    settle: [sql.settlements.settle, [[1], [randomUUID()], ...ending, 'new', [1]]],
    'complete with what a handler wrote': [sql.settlements.completeAll, [3, null, 1, 0, 0, 'host', 'new']],
    'settle and commit': [sql.settlements.settleAll, [[2], [randomUUID()], ...ending, 'new', [2]]],
  });
  await client.end();
  await database.drop();
});

test('of many jobs whose time has come a survey reads those that it promotes', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.schema.migrate();
  await driver.close();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    `INSERT INTO rowlock.job (queue, kind, available_at, due)
     SELECT 'q', 'k', now() - n * interval '1 ms', false FROM generate_series(1, 100000) AS n`,
  );
  await client.query('VACUUM ANALYZE rowlock.job');
  const plan = await explained(client, sql.surveys.survey, [['q', 'other'], ['k']]);
  expect(indexes(plan)).toContain('job_later');
  expect(scanned(plan)).toEqual(['pause', 'follower']);
  expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Sort');
  await client.end();
  await database.drop();
});

test('a hundred thousand jobs that wait for a limit cost neither other jobs nor the look for them', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.schema.migrate();
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
    [sql.claims.claimOne, claim, 'job_claim', 20],
    [sql.claims.claimLimited, limited, 'job_limited', 60],
    [sql.limits.limitedParts, [['q', 'other'], '', 1_000], 'job_limited', 40],
  ] as const) {
    // The first call in a session reads the catalog, for the plans of the function.
    await explained(client, text, [...values]);
    const plan = await explained(client, text, [...values]);
    expect(indexes(plan)).toEqual([index]);
    expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Sort');
    expect(pages(plan)).toBeLessThan(most);
  }
  const survey = await explained(client, sql.surveys.survey, [['q'], ['k']]);
  // The table of the schedules is empty, and has no page to read.
  expect(scanned(survey)).toEqual(['pause', 'follower', 'expiry', 'schedule']);
  expect(pages(survey)).toBeLessThan(40);
  await arePlannedOnce(client, {
    claim: [sql.claims.claimOne, claim],
    'claim with a limit': [sql.claims.claimLimited, limited],
    parts: [sql.limits.limitedParts, [['q'], '', 1_000]],
  });
  await client.end();
  await database.drop();
});

test('a hundred thousand jobs of a paused queue cost a claim and a survey nothing, and those of a paused limit neither', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const driver = postgres({ connectionString: database.url });
  await driver.schema.migrate();
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
    claim: [sql.claims.claimOne, ['q', -32_768, 0, ['k'], []]],
    several: [sql.claims.claim, ['q', -32_768, 0, ['k'], [], 10]],
    limited: [sql.claims.claimLimited, ['q', -32_768, 0, ['k'], [], limits, ['a'], [2], 'rowlock']],
    parts: [sql.limits.limitedParts, [['q'], '', 1_000]],
    survey: [sql.surveys.survey, [['q'], ['k']]],
  } satisfies Readonly<Record<string, readonly [text: string, values: unknown[]]>>;
  for (const target of [
    { scope: 'queue', name: 'q' },
    { scope: 'limit', name: 'a' },
  ] as const) {
    await driver.admission.pause({ ...target, until: null, reason: null, by: 'test' });
    for (const [text, values] of Object.values(asked))
      expect(pages(await explained(client, text, values))).toBeLessThan(50);
    await arePlannedOnce(client, {
      [`claim, ${target.scope}`]: asked.claim,
      [`limited, ${target.scope}`]: asked.limited,
    });
    await client.query('DEALLOCATE ALL');
    await driver.admission.resume(target);
  }
  await client.end();
  await driver.close();
  await database.drop();
});
