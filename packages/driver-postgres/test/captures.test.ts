import { createRowlock, defineCapture } from '@rowlock/core';
import type pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';
import { CaptureStage } from './capture-stage.js';

const stage = new CaptureStage();
const captured: CaptureStage['captured'] = (...given) => stage.captured(...given);
const connected: CaptureStage['connected'] = (...given) => stage.connected(...given);
const changes: CaptureStage['changes'] = () => stage.changes();
const payloads: CaptureStage['payloads'] = () => stage.payloads();

let url: string;
let client: pg.Client;

beforeAll(() => {
  ({ url, client } = stage);
});

const TABLE = 'CREATE TABLE t (id bigint PRIMARY KEY, note text)';

describe('every way to write', () => {
  test.each([
    [
      'an upsert',
      'INSERT INTO t VALUES (1), (2) ON CONFLICT (id) DO UPDATE SET note = $$x$$',
      ['update 1', 'insert 2'],
    ],
    ['ON CONFLICT DO NOTHING', 'INSERT INTO t VALUES (1), (2) ON CONFLICT DO NOTHING', ['insert 2']],
    [
      'a writable CTE',
      'WITH gone AS (DELETE FROM t RETURNING id) INSERT INTO t SELECT id + 1 FROM gone',
      ['delete 1', 'insert 2'],
    ],
    ['UPDATE … FROM', "UPDATE t SET note = 'x' FROM generate_series(1, 3) AS n WHERE id = n", ['update 1']],
    [
      'SELECT … INTO a cursor, and WHERE CURRENT OF',
      'DECLARE c CURSOR FOR SELECT * FROM t FOR UPDATE; FETCH c; DELETE FROM t WHERE CURRENT OF c',
      ['delete 1'],
    ],
    [
      'a DO block',
      "DO $$BEGIN UPDATE t SET note = 'a'; UPDATE t SET note = 'b'; END$$",
      ['update 1', 'update 1'],
    ],
    ['an updatable view', 'CREATE VIEW v AS SELECT * FROM t; INSERT INTO v VALUES (2)', ['insert 2']],
    ['TRUNCATE', 'TRUNCATE t', ['bulk of truncate -']],
    [
      'a rule that makes a DELETE an UPDATE',
      "CREATE RULE soft AS ON DELETE TO t DO INSTEAD UPDATE t SET note = 'gone' WHERE id = OLD.id; DELETE FROM t",
      ['update 1'],
    ],
  ])('%s', async (_, statement, expected) => {
    await captured(TABLE);
    await client.query("SET rowlock.capture = 'off'; INSERT INTO t VALUES (1); RESET rowlock.capture");
    await client.query(statement);
    expect((await changes()).toSorted()).toEqual(expected.toSorted());
  });

  test('a swap of ids', async () => {
    await captured('CREATE TABLE t (id bigint PRIMARY KEY DEFERRABLE)');
    await client.query('INSERT INTO t VALUES (1), (2)');
    await client.query('UPDATE t SET id = 3 - id');
    expect((await changes()).slice(2).toSorted()).toEqual(['update 1', 'update 2']);
  });

  test('MERGE', async ({ skip }) => {
    skip((await stage.version()) < 150_000, 'Postgres 14 has no MERGE');
    await captured(TABLE);
    await client.query('INSERT INTO t VALUES (1), (2)');
    await client.query(
      `MERGE INTO t USING generate_series(2, 3) AS n ON id = n
       WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (n)`,
    );
    expect((await changes()).slice(2).toSorted()).toEqual(['delete 2', 'insert 3']);
  });

  test('COPY', async () => {
    await captured(TABLE);
    await client.query("COPY t (id) FROM PROGRAM 'seq 1 3'");
    expect(await changes()).toEqual(['insert 1', 'insert 2', 'insert 3']);
  });

  test('what a foreign key cascades, and TRUNCATE CASCADE', async () => {
    await captured(
      `${TABLE}; CREATE TABLE child (id bigint PRIMARY KEY, t bigint REFERENCES t ON DELETE CASCADE)`,
      [{ table: 'app.child', key: 't' }],
    );
    await client.query('INSERT INTO t VALUES (1), (2); INSERT INTO child VALUES (10, 1), (11, 1), (12, 2)');
    await client.query('DELETE FROM t WHERE id = 1');
    await client.query('TRUNCATE t CASCADE');
    expect((await changes()).slice(3)).toEqual(['delete 1', 'delete 1', 'bulk of truncate -']);
  });

  test('what a foreign key sets, by each of its rules', async () => {
    await captured(
      `${TABLE}; CREATE TABLE child (id bigint PRIMARY KEY, one bigint REFERENCES t ON DELETE SET NULL ON UPDATE CASCADE,
         two bigint DEFAULT 2 REFERENCES t ON DELETE SET DEFAULT);
       INSERT INTO t VALUES (1), (2); INSERT INTO child VALUES (10, 1, NULL), (20, NULL, 1)`,
      { table: 'app.child', on: { update: ['one', 'two'] } },
    );
    await client.query('UPDATE t SET id = 3 WHERE id = 2; UPDATE t SET id = 2 WHERE id = 3');
    await client.query('UPDATE child SET one = 2 WHERE id = 10; UPDATE t SET id = 4 WHERE id = 2');
    expect(await changes()).toEqual(['update 10', 'update 10']);
    await client.query('INSERT INTO t VALUES (2); DELETE FROM t WHERE id IN (1, 4)');
    expect((await changes()).slice(2).toSorted()).toEqual(['update 10', 'update 20']);
  });

  test('what a subscription writes is not captured, and check says so', async () => {
    const rowlock = await captured(TABLE);
    await client.query('CREATE PUBLICATION p FOR TABLE t');
    await client.query(
      `CREATE SUBSCRIPTION s CONNECTION '${url}' PUBLICATION p WITH (enabled = false, create_slot = false, slot_name = NONE, copy_data = false)`,
    );
    onTestFinished(async () => {
      await client.query('DROP SUBSCRIPTION s');
      await client.query('DROP PUBLICATION p');
    });
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [], warnings: ['A subscription writes to the table. Its changes are not captured.'] },
    ]);
  });

  test.each(['REPEATABLE READ', 'SERIALIZABLE'])('a writer at %s', async (level) => {
    await captured(TABLE);
    await client.query(`BEGIN ISOLATION LEVEL ${level}; INSERT INTO t VALUES (1); COMMIT`);
    expect(await changes()).toEqual(['insert 1']);
  });

  test('other triggers of the table: the final values are captured', async () => {
    await captured(
      `${TABLE}; CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note := upper(NEW.note); RETURN NEW; END';
       CREATE TRIGGER a_first BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()`,
      { payload: ['note'] },
    );
    await client.query("INSERT INTO t VALUES (1, 'a')");
    expect(await payloads()).toMatchObject([{ new: { note: 'A' } }]);
  });
});

describe('tables that are not plain', () => {
  test('partitions: through the parent, straight, moved, and one that comes later', async () => {
    const rowlock = await captured(
      `CREATE TABLE t (id bigint PRIMARY KEY, note text) PARTITION BY RANGE (id);
       CREATE TABLE p1 PARTITION OF t FOR VALUES FROM (0) TO (10)`,
      { payload: ['note'], bulk: { over: 1 } },
    );
    await client.query(
      'CREATE TABLE p2 (LIKE p1 INCLUDING ALL); ALTER TABLE t ATTACH PARTITION p2 FOR VALUES FROM (10) TO (20)',
    );
    await client.query(
      "INSERT INTO t VALUES (1), (2); INSERT INTO p2 VALUES (11); UPDATE t SET note = 'a' WHERE id = 2",
    );
    await client.query('UPDATE t SET id = 12 WHERE id = 1; DELETE FROM p2 WHERE id = 11; TRUNCATE t');
    const all = await changes();
    expect(all.slice(0, 4)).toEqual(['insert 1', 'insert 2', 'insert 11', 'update 2']);
    expect(all.slice(4).toSorted()).toEqual(['bulk of truncate -', 'delete 11', 'update 1', 'update 12']);
    expect(await rowlock.captures.check()).toEqual([
      { name: 'c0', problems: [], warnings: [expect.stringContaining('partitioned')] },
    ]);
    await client.query('INSERT INTO t VALUES (3)');
    expect(await rowlock.captures.backfill('c0')).toEqual({ rows: 1 });
  });

  test('a table that becomes a partition', async () => {
    const rowlock = await captured(`${TABLE}; CREATE TABLE parent (LIKE t) PARTITION BY RANGE (id)`);
    await client.query('ALTER TABLE parent ATTACH PARTITION t FOR VALUES FROM (0) TO (10)');
    await client.query('INSERT INTO parent VALUES (1)');
    expect(await changes()).toEqual([]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'changed' }, {}, {}, {}] }]);
    await rowlock.captures.apply();
    await client.query('INSERT INTO parent VALUES (2)');
    expect(await changes()).toEqual(['insert 2']);
  });

  test('inheritance: the rows of the table itself', async () => {
    const rowlock = await captured(`${TABLE}; CREATE TABLE child (PRIMARY KEY (id)) INHERITS (t)`, [
      {},
      { table: ['app', 'child'], name: 'child', kind: 'child' },
    ]);
    await client.query("INSERT INTO t VALUES (1); INSERT INTO child VALUES (2); UPDATE t SET note = 'a'");
    const { rows } = await client.query('SELECT kind, key FROM rowlock.job ORDER BY id');
    expect(rows.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['k 1', 'child 2', 'k 1', 'child 2']);
    expect(await rowlock.captures.backfill('c0')).toEqual({ rows: 1 });
    const [{ warnings = [] } = {}] = await rowlock.captures.check();
    expect(warnings).toEqual([expect.stringContaining('inherit')]);
  });

  test('UNLOGGED: check says that a crash of the server empties it', async () => {
    const rowlock = await captured('CREATE UNLOGGED TABLE t (id bigint PRIMARY KEY)');
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [], warnings: [expect.stringContaining('UNLOGGED')] },
    ]);
  });

  test.each([
    [
      'a view',
      'CREATE TABLE base (id bigint); CREATE VIEW t AS SELECT * FROM base',
      'is a view. Capture the tables behind it',
    ],
    [
      'no key',
      'CREATE TABLE t (id bigint)',
      'has no primary key, and no other unique key without nulls, of id',
    ],
    ['a key with nulls', 'CREATE TABLE t (id bigint UNIQUE)', 'has no primary key'],
    [
      'a partial key',
      'CREATE TABLE t (id bigint NOT NULL); CREATE UNIQUE INDEX ON t (id) WHERE id > 0',
      'has no primary key',
    ],
  ])('%s is refused', async (_, statements, message) => {
    const rowlock = await captured(statements, {}, false);
    await expect(rowlock.captures.apply()).rejects.toThrow(`The capture "c0": the table app.t ${message}`);
  });

  test("Rowlock's own tables are refused", async () => {
    const own = await captured('SELECT', { table: 'rowlock.job' }, false);
    await expect(own.captures.apply()).rejects.toThrow("is one of Rowlock's own");
  });

  test('a generated column that is stored is captured, and one that is not is refused', async () => {
    const virtual = await virtualColumns();
    const rowlock = await captured(
      `CREATE TABLE t (id bigint PRIMARY KEY, twice bigint GENERATED ALWAYS AS (2 * id) STORED${virtual ? ', late bigint GENERATED ALWAYS AS (3 * id) VIRTUAL' : ''})`,
      [{ payload: ['twice'] }, { name: 'late', payload: ['late'] }],
      false,
    );
    await expect(rowlock.captures.apply()).rejects.toThrow(
      virtual ? 'computes "late" when it is read' : 'no column "late"',
    );
    await client.query('INSERT INTO t (id) VALUES (1)');
    expect(await payloads()).toMatchObject([{ new: { twice: '2' } }]);
  });

  async function virtualColumns(): Promise<boolean> {
    return (await stage.version()) >= 180_000;
  }
});

describe('values', () => {
  test('times, bytes and numbers are the same text in each session', async () => {
    await captured(
      'CREATE TABLE t (id timestamptz PRIMARY KEY, at timestamptz, span interval, bytes bytea, ratio float8)',
      { payload: ['at', 'span', 'bytes', 'ratio'] },
    );
    const insert = String.raw`INSERT INTO t VALUES ('2026-07-01 12:00:00.5+02', '2026-01-01T00:00:00Z', '1 day 2 hours', '\x00ff', 0.1::float8 + 0.2)`;
    await client.query(insert);
    await client.query(
      "SET timezone = 'Asia/Tokyo'; SET datestyle = 'SQL, DMY'; SET intervalstyle = 'sql_standard'; SET bytea_output = 'escape'; SET extra_float_digits = -5",
    );
    await client.query('DELETE FROM t');
    await client.query(
      'RESET timezone; RESET datestyle; RESET intervalstyle; RESET bytea_output; RESET extra_float_digits',
    );
    const id = { id: '2026-07-01 10:00:00.5+00' };
    const values = {
      at: '2026-01-01 00:00:00+00',
      span: 'P1DT2H',
      bytes: String.raw`\x00ff`,
      ratio: '0.30000000000000004',
    };
    expect(await payloads()).toEqual([
      { capture: 'c0', op: 'insert', id, new: values },
      { capture: 'c0', op: 'delete', id, old: values },
    ]);
    const { rows } = await client.query('SELECT key FROM rowlock.job');
    expect(rows).toEqual([{ key: id.id }, { key: id.id }]);
  });

  test('changes of types without an equality are seen', async () => {
    await captured('CREATE TABLE t (id bigint PRIMARY KEY, j json, p point, x xml, b jsonb)', {
      on: { update: ['j', 'p', 'b'] },
    });
    await client.query(`INSERT INTO t VALUES (1, '{"a": 1}', '(1,2)', '<a/>', '{}')`);
    await client.query("UPDATE t SET j = j, p = p, x = '<b/>', b = b");
    expect(await changes()).toEqual([]);
    await client.query(`UPDATE t SET j = '{"a": 2}'`);
    await client.query("UPDATE t SET p = '(1,3)'");
    await client.query('UPDATE t SET b = NULL');
    expect(await changes()).toEqual(['update 1', 'update 1', 'update 1']);
  });

  test('a long key has its hash in a database of any encoding', async () => {
    const name = `ascii_${new URL(stage.url).pathname.slice(-8)}`;
    await stage.client.query(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    const url = new URL(stage.url);
    url.pathname = name;
    const driver = postgres({ connectionString: url.href });
    const client = await stage.connected(url.href);
    onTestFinished(async () => {
      await Promise.all([driver.close(), client.end()]);
      await stage.client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
    await driver.schema.migrate();
    await client.query('CREATE TABLE t (id int PRIMARY KEY, v text)');
    const capture = defineCapture({ name: 'c0', table: 'public.t', id: ['id'], key: 'v', kind: 'k' });
    await createRowlock({ driver, captures: [capture] }).captures.apply();
    await client.query("INSERT INTO t VALUES (1, repeat(convert_from('\\xe9', 'SQL_ASCII'), 600))");
    expect((await client.query('SELECT length(key) FROM rowlock.job')).rows).toEqual([{ length: 64 }]);
  });

  test('values of more than 256 KiB are left out', async () => {
    await captured(TABLE, { payload: ['note'] });
    await client.query(
      String.raw`INSERT INTO t VALUES (1, repeat(E'\x01', 262144)), (2, repeat('x', 3000000))`,
    );
    const [first, second] = await payloads();
    expect(Object(first).new.note).toHaveLength(262_144);
    expect(second).toEqual({ capture: 'c0', op: 'insert', id: { id: '2' }, new: null });
  });

  test('odd names are quoted, and names that are too long are hashed', async () => {
    const name = `it's "odd" \\ $capture$ \n -- ${'ä'.repeat(50)}`;
    const rowlock = await captured(
      `CREATE SCHEMA "an ""app"""; CREATE TABLE "an ""app"""."a.""table""" ("the ""id" bigint PRIMARY KEY, "v'alue" text)`,
      {
        name,
        table: ['an "app"', 'a."table"'],
        id: ['the "id'],
        payload: ["v'alue"],
        on: { insert: true, update: ["v'alue"] },
        kind: "a 'kind'",
        queue: 'a "queue"',
        when: { "v'alue": "a \\ 'value'" },
      },
    );
    onTestFinished(async () => void (await client.query('DROP SCHEMA "an ""app""" CASCADE')));
    await client.query(`INSERT INTO "an ""app"""."a.""table""" VALUES (1, $1)`, ["a \\ 'value'"]);
    const { rows } = await client.query('SELECT queue, kind, key, payload FROM rowlock.job');
    expect(rows).toEqual([
      {
        queue: 'a "queue"',
        kind: "a 'kind'",
        key: '1',
        payload: { capture: name, op: 'insert', id: { 'the "id': '1' }, new: { "v'alue": "a \\ 'value'" } },
      },
    ]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    expect(await rowlock.captures.drop([name])).toEqual([name]);
  });
});

describe('bulk changes', () => {
  test.each(['insert', 'update', 'delete'])(
    'an %s of many rows becomes jobs that name 500 rows each',
    async (operation) => {
      await captured(TABLE);
      const statements: Readonly<Record<string, string>> = {
        insert: 'INSERT INTO t SELECT generate_series(1, 1200)',
        update: "UPDATE t SET note = 'x'",
        delete: 'DELETE FROM t',
      };
      if (operation !== 'insert')
        await client.query(
          "SET rowlock.capture = 'off'; INSERT INTO t SELECT generate_series(1, 1200); RESET rowlock.capture",
        );
      await client.query(statements[operation] ?? '');
      const all = await payloads();
      expect(all).toMatchObject([500, 500, 200].map((rows) => ({ op: 'bulk', of: operation, rows })));
      expect(new Set(all.flatMap((each) => Object(each).ids.map(({ id }: { id: string }) => id))).size).toBe(
        1200,
      );
      const { rows } = await client.query('SELECT DISTINCT key FROM rowlock.job');
      expect(rows).toEqual([{ key: null }]);
    },
  );

  test('an update of very many rows becomes one job that names none', async () => {
    await captured(TABLE, { on: { update: ['note'] } });
    await client.query('INSERT INTO t SELECT generate_series(1, 50001)');
    await client.query("UPDATE t SET note = 'x'");
    expect(await payloads()).toEqual([{ capture: 'c0', op: 'bulk', of: 'update', rows: 50_001 }]);
  });

  test('only rows that count are counted, and without bulk each is a job', async () => {
    await captured(TABLE, [
      { on: { update: ['note'] }, bulk: { over: 2 } },
      { bulk: false, on: { insert: true } },
    ]);
    await client.query('INSERT INTO t SELECT generate_series(1, 1001)');
    await client.query("UPDATE t SET note = CASE WHEN id <= 2 THEN 'x' END");
    expect((await changes()).slice(1000)).toEqual(['insert 1001', 'update 1', 'update 2']);
    await client.query("UPDATE t SET note = CASE WHEN id <= 5 THEN 'y' END");
    expect((await changes()).slice(1003)).toEqual(['bulk of update 5']);
  });
});

describe('the switch', () => {
  test('a session or a transaction is not captured while it is off', async () => {
    await captured(TABLE);
    await client.query(
      "BEGIN; SET LOCAL rowlock.capture = 'off'; INSERT INTO t VALUES (1); TRUNCATE t; COMMIT",
    );
    expect(await changes()).toEqual([]);
    await client.query('INSERT INTO t VALUES (2)');
    expect(await changes()).toEqual(['insert 2']);
  });

  test("what a replica's session writes is captured if its triggers are made to fire always", async () => {
    const rowlock = await captured(TABLE);
    const asReplica = 'BEGIN; SET LOCAL session_replication_role = replica; INSERT INTO t VALUES';
    await client.query(`${asReplica} (1); COMMIT`);
    expect(await changes()).toEqual([]);
    await client.query('ALTER TABLE t ENABLE ALWAYS TRIGGER rowlock_capture_c0_insert');
    await client.query(`${asReplica} (2); COMMIT`);
    expect(await changes()).toEqual(['insert 2']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });
});

describe('drift', () => {
  test.each([
    ['a trigger that is gone', 'DROP TRIGGER rowlock_capture_c0_delete ON t', ['missing']],
    ['a function that is gone', 'DROP FUNCTION rowlock.capture_c0() CASCADE', ['missing']],
    ['a trigger that is disabled', 'ALTER TABLE t DISABLE TRIGGER rowlock_capture_c0_update', ['disabled']],
    [
      'all triggers disabled',
      'ALTER TABLE t DISABLE TRIGGER ALL',
      ['disabled', 'disabled', 'disabled', 'disabled'],
    ],
    [
      'another function',
      "CREATE OR REPLACE FUNCTION rowlock.capture_c0() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN NULL; END'",
      ['changed'],
    ],
    ['a function without its settings', 'ALTER FUNCTION rowlock.capture_c0() RESET ALL', ['changed']],
    [
      "a function with its caller's rights",
      'ALTER FUNCTION rowlock.capture_c0() SECURITY INVOKER',
      ['changed'],
    ],
    [
      'a trigger with a condition',
      'CREATE OR REPLACE TRIGGER rowlock_capture_c0_insert AFTER INSERT ON t REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION rowlock.capture_c0()',
      ['changed'],
    ],
    [
      'a trigger too many',
      'CREATE TRIGGER more AFTER DELETE ON t FOR EACH STATEMENT EXECUTE FUNCTION rowlock.capture_c0()',
      ['unwelcome'],
    ],
    ['a column of another type', 'ALTER TABLE t ALTER note TYPE timestamptz USING now()', ['changed']],
    ['the same table anew', `DROP TABLE t; ${TABLE}`, ['missing', 'missing', 'missing', 'missing']],
  ])('%s is found, and mended', async (_, statement, codes) => {
    const rowlock = await captured(TABLE, { payload: ['note'] });
    await client.query(statement);
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(await rowlock.captures.apply()).toMatchObject([{ changed: true }]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    await client.query('INSERT INTO t VALUES (1); UPDATE t SET id = 1; DELETE FROM t; TRUNCATE t');
    expect(await changes()).toEqual(['insert 1', 'update 1', 'delete 1', 'bulk of truncate -']);
  });

  test('a table that was renamed, or lost a column, is told', async () => {
    const rowlock = await captured(TABLE, { payload: ['note'] });
    await client.query('ALTER TABLE t RENAME COLUMN note TO other');
    const message = 'The capture "c0": the table app.t has no column "note".';
    expect(await rowlock.captures.check()).toEqual([
      { name: 'c0', problems: [{ code: 'table', message }], warnings: [] },
    ]);
    await client.query('ALTER TABLE t RENAME TO u');
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [{ message: expect.stringContaining('does not exist') }] },
    ]);
  });

  test('a table is waited for no longer than the lock may take', async () => {
    const rowlock = await captured(TABLE, {}, false);
    const other = await connected();
    onTestFinished(() => other.end());
    await other.query('BEGIN; INSERT INTO app.t VALUES (1)');
    await expect(rowlock.captures.apply({ lockTimeout: '50ms' })).rejects.toMatchObject({
      code: 'LockTimeout',
    });
    await other.query('COMMIT');
    await rowlock.captures.apply();
  });
});

describe('a trigger that fails', () => {
  test('with fail, the writer fails with it', async () => {
    await captured(TABLE, { payload: ['note'] });
    await client.query('ALTER TABLE t DROP COLUMN note');
    await expect(client.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ code: '42703' });
    expect((await client.query('SELECT FROM t')).rowCount).toBe(0);
  });

  test('with note, the change stays and the loss is told, until a backfill makes up for it', async () => {
    const rowlock = await captured(TABLE, { payload: ['note'], onError: 'note' });
    await client.query('ALTER TABLE t RENAME COLUMN note TO other');
    await client.query('INSERT INTO t VALUES (1)');
    await client.query('ALTER TABLE t RENAME COLUMN other TO note');
    await client.query('INSERT INTO t VALUES (2)');
    expect(await changes()).toEqual(['insert 2']);
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems).toEqual([{ code: 'lost', message: expect.stringMatching(/^1 statements .*42703 /) }]);
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual(['insert 2', 'backfill 1', 'backfill 2']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });
});

describe('wake-ups', () => {
  test.each([
    ['throttled', ['{"queue":"default"}']],
    ['always', ['{"queue":"default"}', '{"queue":"default"}']],
    ['never', []],
  ] as const)('%s: of two transactions at once, %j are sent', async (notify, expected) => {
    await captured(TABLE, { notify });
    const [listener, first, second] = [await connected(), await connected(), await connected()];
    onTestFinished(async () => {
      for (const each of [listener, first, second]) await each.end();
    });
    const heard: unknown[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query('LISTEN "rowlock:rowlock"');
    await first.query('BEGIN; INSERT INTO app.t VALUES (1)');
    await second.query('INSERT INTO app.t VALUES (2)');
    await first.query('INSERT INTO app.t VALUES (3); COMMIT');
    await hasHeardAll(listener, first);
    expect(heard.slice(0, -1)).toEqual(expected);
  });

  test('a transaction sends one, also after a savepoint that was rolled back, and the next transaction another', async () => {
    await captured(TABLE);
    const [listener, writer] = [await connected(), await connected()];
    onTestFinished(async () => {
      for (const each of [listener, writer]) await each.end();
    });
    const heard: unknown[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query('LISTEN "rowlock:rowlock"');
    await writer.query('BEGIN; SAVEPOINT s; INSERT INTO app.t VALUES (1); ROLLBACK TO s');
    await writer.query('INSERT INTO app.t VALUES (2); INSERT INTO app.t VALUES (3); COMMIT');
    await writer.query('INSERT INTO app.t VALUES (4)');
    await hasHeardAll(listener, writer);
    expect(heard).toEqual(['{"queue":"default"}', '{"queue":"default"}', 'last']);
  });

  /** Notifications come in the order of the commits. */
  async function hasHeardAll(listener: pg.Client, writer: pg.Client): Promise<void> {
    const last = new Promise((resolve) =>
      listener.on('notification', ({ payload }) => payload === 'last' && resolve(payload)),
    );
    await writer.query(`NOTIFY "rowlock:rowlock", 'last'`);
    await last;
  }
});

test('the least rights: for who applies, and none for who writes', async () => {
  const suffix = new URL(url).pathname.slice(-8);
  const [owner, writer] = [`capturer_${suffix}`, `writer_${suffix}`];
  await captured(TABLE, {}, false);
  await client.query(
    `CREATE ROLE ${owner} LOGIN PASSWORD 'change-me'; CREATE ROLE ${writer} LOGIN PASSWORD 'change-me';
     GRANT USAGE ON SCHEMA app TO ${owner}, ${writer};
     GRANT INSERT, UPDATE, DELETE, SELECT ON app.t TO ${writer};
     GRANT USAGE, CREATE ON SCHEMA rowlock TO ${owner};
     GRANT INSERT ON rowlock.job, rowlock.bell, rowlock.capture_loss TO ${owner};
     GRANT SELECT ON rowlock.worker TO ${owner};
     GRANT TRIGGER ON app.t TO ${owner}`,
  );
  const as = (role: string): string => {
    const own = new URL(url);
    own.username = role;
    own.password = 'change-me';
    return own.href;
  };
  const own = postgres({ connectionString: as(owner) });
  const options = { name: 'c0', table: 'app.t', id: ['id'], kind: 'k', onError: 'note' } as const;
  const rowlock = createRowlock({ driver: own, captures: [defineCapture(options)] });
  onTestFinished(async () => {
    await own.close();
    await client.query(`DROP FUNCTION rowlock.capture_c0 CASCADE`);
    for (const role of [owner, writer]) await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  await rowlock.captures.apply();
  await expect(rowlock.captures.check()).rejects.toMatchObject({ code: 'PermissionDenied' });
  await client.query(`GRANT SELECT ON rowlock.capture_loss TO ${owner}`);
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  await client.query(
    `GRANT SELECT ON app.t TO ${owner};
     GRANT SELECT, INSERT, UPDATE ON rowlock.capture_backfill TO ${owner};
     GRANT DELETE ON rowlock.capture_loss TO ${owner}`,
  );
  expect(await rowlock.captures.backfill('c0')).toEqual({ rows: 0 });
  const writing = await connected(as(writer));
  onTestFinished(() => writing.end());
  // A table of the writer's own does not take the place of Rowlock's.
  await writing.query('CREATE TEMPORARY TABLE job (id bigint)');
  await writing.query("INSERT INTO app.t VALUES (1); UPDATE app.t SET note = 'a'; DELETE FROM app.t");
  expect(await changes()).toEqual(['insert 1', 'update 1', 'delete 1']);
  await expect(writing.query('SELECT * FROM rowlock.job')).rejects.toMatchObject({ code: '42501' });
  await expect(
    writing.query('CREATE TRIGGER x AFTER INSERT ON job EXECUTE FUNCTION rowlock.capture_c0()'),
  ).rejects.toMatchObject({ code: '42501' });
});

test('the script makes the triggers, with a schema of another name too', async () => {
  const other = postgres({ connectionString: url, schema: 'my "jobs"' });
  onTestFinished(() => other.close());
  await other.schema.migrate();
  await client.query(`CREATE SCHEMA app; CREATE TABLE app.t (id bigint PRIMARY KEY)`);
  onTestFinished(async () => void (await client.query('DROP SCHEMA app, "my ""jobs""" CASCADE')));
  const capture = defineCapture({ name: 'c0', table: 'app.t', id: ['id'], kind: 'k', onError: 'note' });
  const rowlock = createRowlock({ driver: other, captures: [capture] });
  await client.query(await rowlock.captures.sql());
  expect(await rowlock.captures.check()).toEqual([{ name: 'c0', problems: [], warnings: [] }]);
  expect(await rowlock.captures.apply()).toMatchObject([{ changed: false }]);
  await client.query('INSERT INTO app.t VALUES (1)');
  const { rows } = await client.query('SELECT key FROM "my ""jobs""".job');
  expect(rows).toEqual([{ key: '1' }]);
});

test('a backfill goes on behind a row whose job a deferred trigger would refuse at the commit', async () => {
  const rowlock = await stage.captured(
    'CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)',
  );
  await stage.client.query(`
    CREATE FUNCTION app.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.key = '2' THEN RAISE 'not welcome'; END IF; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON rowlock.job DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION app.refuse()`);
  await expect(rowlock.captures.backfill('c0')).rejects.toThrow('the one of the row {"id":"2"}');
  expect(await stage.changes()).toEqual(['backfill 1', 'backfill 3']);
});
