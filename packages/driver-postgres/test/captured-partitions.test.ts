import { createRowlock, defineCapture } from '@rowlock/core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { postgres } from '../src/index.js';
import { CaptureStage, type Options } from './capture-stage.js';
import { waiting } from './waiting.js';

const stage = new CaptureStage();

/** Two regions, of which one has partitions of its own. */
const REGIONS = `
  CREATE TABLE t (id bigint, region text, note text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
  CREATE TABLE eu PARTITION OF t FOR VALUES IN ('eu');
  CREATE TABLE us PARTITION OF t FOR VALUES IN ('us') PARTITION BY RANGE (id);
  CREATE TABLE us_low PARTITION OF us FOR VALUES FROM (0) TO (10);
  CREATE TABLE us_high PARTITION OF us FOR VALUES FROM (10) TO (1000)`;

/** Captures the table with some rows in it. */
async function regions(options: Options = {}) {
  const rowlock = await stage.captured(REGIONS, { id: ['id', 'region'], ...options }, false);
  await stage.client.query("INSERT INTO t VALUES (1, 'eu', 'a'), (2, 'eu', 'b'), (3, 'us', 'c')");
  await rowlock.captures.apply();
  return rowlock;
}

const move = "UPDATE t SET region = 'us', note = 'x' WHERE id = 1";

describe('an UPDATE that moves a row to another partition is an update, of both ids', () => {
  test.each<[string, Options]>([
    ['of any column', { on: { update: true } }],
    ['of a column that does not change', { on: { update: ['note'] } }],
    ['with all changes', {}],
    ['with insert', { on: { insert: true, update: true } }],
    ['with delete', { on: { update: true, delete: true } }],
  ])('%s', async (_, options) => {
    await regions(options);
    await stage.client.query(move);
    expect(await stage.changes()).toEqual(['update 1,eu', 'update 1,us']);
  });

  test.each<[string, Options]>([
    ['inserts', { on: { insert: true } }],
    ['deletes', { on: { delete: true } }],
    ['both', { on: { insert: true, delete: true } }],
  ])('and is not captured as one of %s', async (_, options) => {
    await regions(options);
    await stage.client.query(move);
    expect(await stage.changes()).toEqual([]);
    await stage.client.query("DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 'eu')");
    const { insert, delete: deletes } = { insert: false, delete: false, ...options.on };
    expect(await stage.changes()).toEqual([
      ...(deletes ? ['delete 1,us'] : []),
      ...(insert ? ['insert 1,eu'] : []),
    ]);
  });

  test('with its values before and after', async () => {
    await regions({ payload: ['note', 'region'], key: 'id' });
    await stage.client.query(move);
    const each = { capture: 'c0', op: 'update' };
    expect(await stage.payloads()).toEqual([
      { ...each, id: { id: '1', region: 'eu' }, old: { note: 'a', region: 'eu' } },
      { ...each, id: { id: '1', region: 'us' }, new: { note: 'x', region: 'us' } },
    ]);
  });

  test('if it meets the condition before or after', async () => {
    await regions({ when: { note: ['b', 'x'] } });
    await stage.client.query("UPDATE t SET region = 'us' WHERE id = 1");
    await stage.client.query("UPDATE t SET region = 'eu', note = 'x' WHERE id = 1");
    await stage.client.query("UPDATE t SET region = 'us', note = 'z' WHERE id = 2");
    expect(await stage.changes()).toEqual(['update 1,eu', 'update 2,eu']);
  });

  test('between partitions of a partition, also when these are written straight', async () => {
    await regions({ on: { update: ['note'] } });
    await stage.client.query('UPDATE t SET id = 30 WHERE id = 3');
    await stage.client.query('UPDATE us SET id = 4 WHERE id = 30');
    expect(await stage.changes()).toEqual(['update 3,us', 'update 30,us', 'update 30,us', 'update 4,us']);
  });

  test('into a partition that came later', async () => {
    await regions({ on: { update: true } });
    await stage.client.query("CREATE TABLE asia PARTITION OF t FOR VALUES IN ('asia')");
    await stage.client.query("UPDATE t SET region = 'asia' WHERE id = 1");
    await stage.client.query("UPDATE t SET region = 'eu' WHERE id = 1");
    expect(await stage.changes()).toEqual(['update 1,eu', 'update 1,asia', 'update 1,asia', 'update 1,eu']);
  });

  test('beside rows of the same statement that stay, and whose id changes where they are', async () => {
    await regions();
    await stage.client.query(
      "UPDATE t SET id = CASE WHEN id = 3 THEN 5 ELSE id END, region = CASE WHEN id = 2 THEN 'us' ELSE region END",
    );
    expect((await stage.changes()).toSorted()).toEqual([
      'update 1,eu',
      'update 2,eu',
      'update 2,us',
      'update 3,us',
      'update 5,us',
    ]);
  });

  test('and what the same statement inserts and deletes is that', async ({ skip }) => {
    skip((await stage.version()) < 150_000, 'Postgres 14 has no MERGE');
    await regions();
    await stage.client.query(
      `MERGE INTO t USING (VALUES (1, 'us'), (2, NULL), (3, 'eu'), (4, 'eu'), (5, 'us')) AS s (id, region) ON t.id = s.id
       WHEN MATCHED AND s.region IS NULL THEN DELETE
       WHEN MATCHED THEN UPDATE SET region = s.region
       WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.region)`,
    );
    expect((await stage.changes()).toSorted()).toEqual([
      'delete 2,eu',
      'insert 4,eu',
      'insert 5,us',
      'update 1,eu',
      'update 1,us',
      'update 3,eu',
      'update 3,us',
    ]);
  });

  test('and a row that a statement deletes and inserts is not', async () => {
    await regions();
    await stage.client.query(
      `BEGIN; ${move}; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 'us'); SAVEPOINT s;
       UPDATE t SET region = 'eu' WHERE id = 1; ROLLBACK TO s; DELETE FROM t WHERE id = 1; COMMIT`,
    );
    await stage.client.query(
      "WITH gone AS (DELETE FROM t WHERE id = 2 RETURNING id) INSERT INTO t SELECT id, 'us' FROM gone",
    );
    expect(await stage.changes()).toEqual([
      'update 1,eu',
      'update 1,us',
      'delete 1,us',
      'insert 1,us',
      'delete 1,us',
      'delete 2,eu',
      'insert 2,us',
    ]);
  });

  test('by each of two captures', async () => {
    const rowlock = await stage.captured(
      REGIONS,
      [
        { id: ['id', 'region'], on: { update: true } },
        { id: ['id', 'region'], kind: 'other', on: { insert: true, update: ['note'] } },
      ],
      true,
    );
    await stage.client.query("INSERT INTO t VALUES (1, 'eu', 'a')");
    await stage.client.query(move);
    expect((await stage.changes()).toSorted()).toEqual([
      'insert 1,eu',
      'update 1,eu',
      'update 1,eu',
      'update 1,us',
      'update 1,us',
    ]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }, { problems: [] }]);
  });

  test('also when another trigger of the table moves it, or somebody else has just changed it', async () => {
    await regions({ payload: ['note'], on: { update: ['note'] } });
    await stage.client.query(
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.region := 'us'; RETURN NEW; END$$;
       CREATE TRIGGER set_region BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()`,
    );
    await stage.client.query("UPDATE t SET note = 'x' WHERE id = 1; DROP TRIGGER set_region ON t");
    expect(await stage.changes()).toEqual(['update 1,eu', 'update 1,us']);
    const [other, looking] = [await stage.connected(), await stage.connected()];
    onTestFinished(async () => {
      for (const each of [other, looking]) await each.end();
    });
    await other.query("BEGIN; UPDATE app.t SET note = 'first' WHERE id = 2");
    const moved = stage.client.query("UPDATE t SET region = 'us' WHERE id = 2");
    await vi.waitFor(async () => expect(await waiting(looking)).toBe(1), 30_000);
    await other.query('COMMIT');
    await moved;
    expect((await stage.payloads()).slice(2)).toMatchObject([
      { id: { region: 'eu' }, old: { note: 'b' }, new: { note: 'first' } },
      { id: { region: 'eu' }, old: { note: 'first' } },
      { id: { region: 'us' }, new: { note: 'first' } },
    ]);
  });

  test('and an insert behind one whose row another trigger leaves out is one', async () => {
    await regions({ on: { insert: true, update: true } });
    await stage.client.query(
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;
       CREATE TRIGGER leave_out BEFORE INSERT ON us FOR EACH ROW EXECUTE FUNCTION f()`,
    );
    await stage.client.query('BEGIN');
    await stage.client.query("UPDATE t SET region = 'us' WHERE id = 1");
    await stage.client.query("INSERT INTO t VALUES (9, 'eu')");
    await stage.client.query("UPDATE t SET region = 'us' WHERE id = 2; COMMIT");
    await stage.client.query("INSERT INTO t VALUES (8, 'eu')");
    expect(await stage.changes()).toEqual(['update 1,eu', 'insert 9,eu', 'update 2,eu', 'insert 8,eu']);
  });

  test('unless the session says that it is not captured', async () => {
    await regions();
    await stage.client.query(`BEGIN; SET LOCAL rowlock.capture = 'off'; ${move}; COMMIT`);
    expect(await stage.changes()).toEqual([]);
    expect((await stage.client.query('SELECT FROM us WHERE id = 1')).rowCount).toBe(1);
  });

  test('also when a foreign key cascades', async () => {
    const rowlock = await stage.captured(
      `CREATE TABLE parent (region text PRIMARY KEY); INSERT INTO parent VALUES ('eu'); ${REGIONS};
       ALTER TABLE t ADD FOREIGN KEY (region) REFERENCES parent ON UPDATE CASCADE;
       INSERT INTO t VALUES (1, 'eu')`,
      { id: ['id', 'region'], on: { update: true } },
    );
    await stage.client.query("UPDATE parent SET region = 'us'");
    expect(await stage.changes()).toEqual(['update 1,eu', 'update 1,us']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });
});

test('a session goes on when a column that is not read has another type', async () => {
  await regions({ payload: ['region'] });
  await stage.client.query("UPDATE t SET note = '1'; ALTER TABLE t ALTER note TYPE int USING note::int");
  await stage.client.query('UPDATE t SET note = 2 WHERE id = 1; ALTER TABLE t ADD other int, DROP note');
  await stage.client.query('UPDATE t SET other = 2 WHERE id = 1');
  expect((await stage.changes()).slice(3)).toEqual(['update 1,eu', 'update 1,eu']);
});

test('and goes on behind apply when one that is read has another, which check names', async () => {
  const rowlock = await regions({ payload: ['note'] });
  await stage.client.query("UPDATE t SET note = '1'; ALTER TABLE t ALTER note TYPE int USING note::int");
  await expect(stage.client.query('UPDATE t SET note = 2')).rejects.toMatchObject({ code: '42804' });
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'changed' }] }]);
  await rowlock.captures.apply();
  await stage.client.query('UPDATE t SET note = 2');
  expect((await stage.payloads()).at(-1)).toMatchObject({
    op: 'update',
    old: { note: '1' },
    new: { note: '2' },
  });
});

test('a trigger that may move rows behind those of the capture is named by check and apply', async () => {
  const rowlock = await regions();
  await stage.client.query(`
    CREATE FUNCTION emigrate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.region := 'us'; RETURN NEW; END $$;
    CREATE TRIGGER zzz_emigrate BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION emigrate();
    CREATE TRIGGER zzz_late BEFORE UPDATE ON eu FOR EACH ROW EXECUTE FUNCTION emigrate();
    CREATE TRIGGER emigrate BEFORE UPDATE ON t FOR EACH ROW WHEN (false) EXECUTE FUNCTION emigrate();
    CREATE TRIGGER zzz_after AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION emigrate()`);
  const late = ['zzz_emigrate', 'zzz_late'].map((name) =>
    expect.stringContaining(`The trigger "${name}" changes`),
  );
  const [{ warnings = [] } = {}] = await rowlock.captures.check();
  expect(warnings).toEqual([expect.stringContaining('partitioned'), ...late]);
  expect(await rowlock.captures.apply()).toMatchObject([{ changed: false, warnings }]);
  // What the warning says is so.
  await stage.client.query("UPDATE t SET note = 'x' WHERE id = 1");
  expect(await stage.changes()).toEqual(['delete 1,eu', 'insert 1,us']);
  await stage.client.query('DROP TRIGGER zzz_late ON eu; DROP TRIGGER zzz_emigrate ON t');
  expect(await rowlock.captures.check()).toMatchObject([
    { warnings: [expect.stringContaining('partitioned')] },
  ]);
});

test('the triggers of another capture are no such ones', async () => {
  const id = ['id', 'region'] as const;
  const rowlock = await stage.captured(REGIONS, [{ id }, { id, kind: 'other' }]);
  for (const { warnings } of await rowlock.captures.check())
    expect(warnings).toEqual([expect.stringContaining('partitioned')]);
});

test.each([
  ['a trigger that is disabled on one partition', 'ALTER TABLE us_low DISABLE TRIGGER USER'],
  ['a right that is taken', 'REVOKE INSERT ON rowlock.job FROM PUBLIC'],
  ['another function', 'ALTER FUNCTION rowlock.capture_c0() SECURITY INVOKER'],
  ['a policy', 'ALTER TABLE t ENABLE ROW LEVEL SECURITY'],
])('the state of a capture is another one with %s', async (_, statement) => {
  await regions();
  const capture = defineCapture({ name: 'c0', table: 'app.t', id: ['id', 'region'], kind: 'k' });
  const state = () => stage.driver.captures?.states([capture.plan]);
  const before = await state();
  for (const each of ['ANALYZE t', 'VACUUM t']) await stage.client.query(each);
  expect(await state()).toEqual(before);
  await stage.client.query(statement);
  expect(await state()).not.toEqual(before);
});

test('a trigger of the move that is gone, or fires otherwise, is found', async () => {
  const rowlock = await regions();
  await stage.client.query('DROP TRIGGER zz_rowlock_capture_c0_move ON t');
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'missing' }] }]);
  await rowlock.captures.apply();
  await stage.client.query(
    'CREATE OR REPLACE TRIGGER rowlock_capture_c0_insert AFTER INSERT ON t FOR EACH ROW WHEN (NEW.id > 1) EXECUTE FUNCTION rowlock.capture_c0()',
  );
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'changed' }] }]);
  await rowlock.captures.apply();
  await stage.client.query(`${move}; INSERT INTO t VALUES (1, 'eu')`);
  expect(await stage.changes()).toEqual(['update 1,eu', 'update 1,us', 'insert 1,eu']);
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
});

test('of a captured partition, check says what an UPDATE that moves its rows is', async () => {
  const rowlock = await regions({ table: 'app.eu' });
  await stage.client.query(move);
  await stage.client.query('TRUNCATE t');
  expect(await stage.changes()).toEqual(['delete 1,eu', 'bulk of truncate -']);
  expect(await rowlock.captures.check()).toMatchObject([
    { problems: [], warnings: [expect.stringContaining('moves a row to another partition is a DELETE')] },
  ]);
});

test('a session that has quote_all_identifiers finds the triggers that another one made, and goes on with its backfill', async () => {
  const rowlock = await regions({ payload: ['note'] });
  const capture = defineCapture({
    name: 'c0',
    table: 'app.t',
    id: ['id', 'region'],
    kind: 'k',
    payload: ['note'],
  });
  const quoting = new URL(stage.url);
  quoting.searchParams.set('options', '-c quote_all_identifiers=on');
  const driver = postgres({ connectionString: quoting.href });
  onTestFinished(() => driver.close());
  const other = createRowlock({ driver, captures: [capture] });
  expect(await other.captures.check()).toMatchObject([{ problems: [] }]);
  expect(await other.captures.apply()).toMatchObject([{ changed: false }]);
  const step = { batch: 1, priority: 0, first: true };
  expect(await stage.driver.captures?.backfill(capture.plan, step)).toMatchObject({ rows: 1 });
  expect(await driver.captures?.backfill(capture.plan, { ...step, first: false })).toMatchObject({ rows: 2 });
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
});
