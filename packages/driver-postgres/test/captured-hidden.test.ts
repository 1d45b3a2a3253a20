import { createRowlock, defineCapture } from '@rowlock/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';
import { CaptureStage } from './capture-stage.js';

const stage = new CaptureStage();

describe('row level security', () => {
  /** A table of ten rows, of which policies hide some from a user who fills. */
  async function secured(policies: string) {
    const { role, href } = await stage.user('filler');
    const applied = await stage.captured(
      `CREATE TABLE t (id bigint PRIMARY KEY, tenant int); INSERT INTO t SELECT g, g % 2 FROM generate_series(1, 10) AS g;
       GRANT USAGE ON SCHEMA app, rowlock TO ${role}; GRANT SELECT ON t TO ${role};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rowlock TO ${role};
       ALTER TABLE t ENABLE ROW LEVEL SECURITY; ${policies.replaceAll('%', role)}`,
    );
    const driver = postgres({ connectionString: href });
    onTestFinished(() => driver.close());
    const capture = defineCapture({ name: 'c0', table: 'app.t', id: ['id'], kind: 'k' });
    return { applied, filling: createRowlock({ driver, captures: [capture] }) };
  }

  test.each([
    ['a part of the rows', 'CREATE POLICY a ON t TO % USING (tenant = 1)'],
    ['all rows', ''],
    [
      'some rows of all',
      'CREATE POLICY a ON t USING (true); CREATE POLICY b ON t AS RESTRICTIVE USING (id < 5)',
    ],
  ])('that hides %s: a backfill is refused, and check says so', async (_, policies) => {
    const { applied, filling } = await secured(policies);
    await expect(filling.captures.backfill('c0')).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringMatching(
        /Row level security hides rows of app\.t from this database user.*BYPASSRLS/,
      ),
    });
    expect(await stage.changes()).toEqual([]);
    expect(await filling.captures.check()).toMatchObject([
      { problems: [], warnings: [expect.stringContaining('Row level security hides rows')] },
    ]);
    // Whoever sees all rows fills them all, and the triggers capture each writer's.
    expect(await applied.captures.backfill('c0')).toEqual({ rows: 10 });
    expect(await applied.captures.check()).toMatchObject([{ problems: [], warnings: [] }]);
  });

  test.each([
    ['for all', 'CREATE POLICY a ON t TO % USING (true)'],
    ['for reading', 'CREATE POLICY a ON t FOR SELECT TO % USING (true)'],
  ])('with a policy %s that hides no row: a backfill has them all', async (_, policies) => {
    const { filling } = await secured(policies);
    expect(await filling.captures.backfill('c0')).toEqual({ rows: 10 });
    expect(await filling.captures.check()).toMatchObject([{ problems: [], warnings: [] }]);
  });
});

describe('triggers of one partition', () => {
  const PARTITIONS = `CREATE TABLE t (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10) PARTITION BY RANGE (id);
    CREATE TABLE lowest PARTITION OF low FOR VALUES FROM (0) TO (5);
    CREATE TABLE high PARTITION OF t FOR VALUES FROM (10) TO (20)`;

  test.each([
    ['all disabled', 'ALTER TABLE high DISABLE TRIGGER ALL', 'high', 6],
    ['one disabled', 'ALTER TABLE high DISABLE TRIGGER rowlock_capture_c0_insert', 'high', 1],
    [
      'one that fires for replicas alone',
      'ALTER TABLE lowest ENABLE REPLICA TRIGGER rowlock_capture_c0_insert',
      'lowest',
      1,
    ],
  ])('%s are found, and mended', async (_, statement, partition, count) => {
    const rowlock = await stage.captured(PARTITIONS);
    await stage.client.query(statement);
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems).toHaveLength(count);
    for (const problem of problems)
      expect(problem).toEqual({
        code: 'disabled',
        message: expect.stringMatching(
          new RegExp(`^The trigger "(zz_)?rowlock_capture_c0_\\w+" of "app"."${partition}" is disabled\\.$`),
        ),
      });
    expect(await rowlock.captures.apply()).toMatchObject([{ changed: true }]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    await stage.client.query('INSERT INTO t VALUES (1), (11)');
    expect(await stage.changes()).toEqual(['insert 1', 'insert 11']);
  });
});

test('check warns of sessions that are replicas by their settings, until all triggers fire for them', async () => {
  const { role } = await stage.user('replica');
  const rowlock = await stage.captured('CREATE TABLE t (id bigint PRIMARY KEY)');
  expect(await rowlock.captures.check()).toMatchObject([{ warnings: [] }]);
  const database = new URL(stage.url).pathname.slice(1);
  await stage.client.query(
    `ALTER ROLE ${role} IN DATABASE ${database} SET session_replication_role = replica`,
  );
  expect(await rowlock.captures.check()).toMatchObject([
    { problems: [], warnings: [expect.stringContaining('session_replication_role = replica')] },
  ]);
  for (const operation of ['insert', 'update', 'delete', 'truncate'])
    await stage.client.query(`ALTER TABLE t ENABLE ALWAYS TRIGGER rowlock_capture_c0_${operation}`);
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [], warnings: [] }]);
  // As a restore without triggers does, for a time.
  await stage.client.query(
    'ALTER TABLE t DISABLE TRIGGER rowlock_capture_c0_delete, ENABLE TRIGGER rowlock_capture_c0_delete',
  );
  expect(await rowlock.captures.check()).toMatchObject([
    {
      problems: [],
      warnings: [expect.stringMatching(/enabled ALWAYS\. These are not: "rowlock_capture_c0_delete"\.$/)],
    },
  ]);
});
