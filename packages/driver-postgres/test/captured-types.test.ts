import { createRowlock, defineCapture } from '@rowlock/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';
import { CaptureStage, type Options } from './capture-stage.js';

const stage = new CaptureStage();

/**
 * Types of all sorts, with functions that write down as whom they run. The server calls `calm` while it plans, if it may put the
 * body of its caller in the caller's place.
 */
const OWNED = `
  CREATE TABLE ran (who text, what text);
  CREATE FUNCTION spy(what text) RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO app.ran VALUES (current_user, what); RETURN what; END$$;
  CREATE FUNCTION calm(what text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM app.spy(what); RETURN what; END$$;
  CREATE TYPE state AS ENUM ('draft', 'paid');
  CREATE FUNCTION of_state(state) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT app.calm('enum')$$;
  CREATE CAST (state AS text) WITH FUNCTION of_state AS IMPLICIT;
  CREATE TYPE size AS (width int, height int);
  CREATE FUNCTION of_size(size) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT app.calm('composite')$$;
  CREATE CAST (size AS text) WITH FUNCTION of_size AS IMPLICIT;
  CREATE FUNCTION is_fine(text) RETURNS boolean LANGUAGE sql AS $$SELECT app.spy('domain') IS NOT NULL$$;
  CREATE DOMAIN mail AS text CHECK (app.is_fine(VALUE));
  CREATE FUNCTION of_states(state[]) RETURNS text LANGUAGE sql AS $$SELECT app.spy('array')$$;
  CREATE CAST (state[] AS text) WITH FUNCTION of_states AS IMPLICIT`;

/** A user who owns a table `t`, which somebody else has captured, and a way to write as that user. */
async function owned(table: string, options: Options = {}, isApplied = true) {
  const { role, href } = await stage.user('owner');
  await stage.client.query(`GRANT CREATE ON DATABASE ${new URL(stage.url).pathname.slice(1)} TO ${role}`);
  const rowlock = await stage.captured(`GRANT ALL ON SCHEMA app TO ${role}`, options, false);
  const owner = await stage.connected(href);
  onTestFinished(() => owner.end());
  await owner.query(`SET search_path = app; ${OWNED}; ${table}`);
  await owner.query('GRANT USAGE ON SCHEMA app TO public; GRANT ALL ON ran TO public');
  if (isApplied) await rowlock.captures.apply();
  const othersWhoRan = async (): Promise<readonly unknown[]> =>
    (await stage.client.query('SELECT DISTINCT who, what FROM app.ran WHERE who <> $1', [role])).rows;
  return { rowlock, role, owner, othersWhoRan };
}

describe("nothing of a table's owner runs with the rights of who captures it", () => {
  const every = 'INSERT INTO t VALUES';
  test.each<[string, string, Options, string]>([
    ['an enum', 'v state', { payload: ['v'], key: 'v' }, "(1, 'paid'), (2, NULL)"],
    ['an enum as the id', 'v state UNIQUE NOT NULL', { id: ['v'] }, "(1, 'paid')"],
    ['an enum in a condition', 'v state', { when: { v: 'paid' } }, "(1, 'paid'), (2, 'draft')"],
    ['a composite', 'v size', { payload: ['v'], key: 'v' }, "(1, '(1,)'), (2, NULL)"],
    ['a domain', 'v mail', { payload: ['v'], key: 'v', when: { v: 'a' } }, "(1, 'a')"],
    ['an array', 'v state[]', { payload: ['v'], on: { insert: true, update: ['v'] } }, "(1, '{paid}')"],
  ])('%s', async (_, column, options, values) => {
    const { rowlock, owner, othersWhoRan } = await owned(
      `CREATE TABLE t (id int PRIMARY KEY, ${column})`,
      options,
    );
    await owner.query(`${every} ${values}; UPDATE t SET id = id + 10`);
    expect(await stage.payloads()).not.toEqual([]);
    await rowlock.captures.backfill('c0', { batch: 1 });
    await rowlock.captures.check();
    expect(await othersWhoRan()).toEqual([]);
  });

  const LATER: readonly (readonly [string, Options, string])[] = [
    ['the id', {}, 'ALTER id TYPE app.size USING ROW(id, 1)::app.size'],
    ['the key', { key: 'v' }, 'ALTER v TYPE app.size USING ROW(id, 1)::app.size'],
    ['a value', { payload: ['v'] }, 'ALTER v TYPE app.state USING $$paid$$::app.state'],
    ['a condition', { when: { v: 'a' } }, 'ALTER v TYPE app.size USING ROW(id, 1)::app.size'],
    ['a domain in a condition', { when: { m: 'a' } }, 'ALTER m TYPE app.size USING ROW(id, 1)::app.size'],
  ];

  test.each(
    LATER.flatMap(([what, options, change]) =>
      // Where it has partitions, a trigger's condition reads the id, so that the server refuses it.
      ['', ...(what === 'the id' ? [] : [' PARTITION BY LIST (part)'])].map(
        (by) => [what, by === '' ? 'statements' : 'rows', options, change, by] as const,
      ),
    ),
  )('%s of a type that comes after apply, with triggers of %s', async (_, __, options, change, by) => {
    const { rowlock, owner, othersWhoRan } = await owned(
      `CREATE TABLE t (id int NOT NULL, part int NOT NULL DEFAULT 0, v text, m mail, UNIQUE (id, part))${by};
       ${by === '' ? '' : 'CREATE TABLE p PARTITION OF t DEFAULT;'} INSERT INTO t VALUES (1, 0, 'a', 'a')`,
      { id: ['id', 'part'], ...options },
    );
    // Its plans are of the old type.
    await owner.query('UPDATE t SET id = id');
    await owner.query(`ALTER TABLE t ${change}`);
    // The plans of a trigger of rows do not follow.
    if (by !== '') await owner.query('DISCARD PLANS');
    const written = owner.query('UPDATE t SET id = id');
    if (options.when === undefined) await written;
    else
      await expect(written).rejects.toThrow(/^The column "[vm]" has another type: run captures\.apply\(\)$/);
    await rowlock.captures.check();
    await rowlock.captures.apply().catch(() => {});
    await owner.query('UPDATE t SET id = id').catch(() => {});
    await rowlock.captures.backfill('c0').catch(() => {});
    expect(await othersWhoRan()).toEqual([]);
  });

  test('a backfill by a composite is refused, as reading it may call a check', async () => {
    const { rowlock, owner, othersWhoRan } = await owned(
      'CREATE TYPE pair AS (a mail, b int); CREATE TABLE t (id pair PRIMARY KEY, note text)',
    );
    await owner.query(
      "INSERT INTO t VALUES (ROW('x', NULL), 'a'), (ROW('y', 1), 'b'); UPDATE t SET note = 'c'",
    );
    expect((await stage.changes()).toSorted()).toEqual(
      ['(x,)', '(y,1)'].flatMap((id) => [`insert ${id}`, `update ${id}`]).toSorted(),
    );
    await expect(rowlock.captures.backfill('c0')).rejects.toThrow('cannot be filled by id');
    expect(await othersWhoRan()).toEqual([]);
  });

  test.each(['pg_namespace', 'pg_namespace[]'])("and so is one by the server's own %s", async (type) => {
    const { rowlock } = await owned(`CREATE TABLE t (id ${type} PRIMARY KEY, note text)`);
    await expect(rowlock.captures.backfill('c0')).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('cannot be filled by id'),
    });
  });

  test('an operator in the schemas of a session that fills', async () => {
    const { owner, othersWhoRan } = await owned(
      "CREATE TABLE t (id int PRIMARY KEY, v varchar); INSERT INTO t VALUES (1, 'a')",
      {
        when: { v: 'a' },
      },
    );
    await owner.query(
      `CREATE FUNCTION same(varchar, varchar) RETURNS boolean LANGUAGE sql AS $$SELECT app.spy('operator') IS NOT NULL$$;
       CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = same)`,
    );
    const driver = postgres({ connectionString: stage.url, options: '-c search_path=app' });
    onTestFinished(() => driver.close());
    const capture = defineCapture({ name: 'c0', table: 'app.t', id: ['id'], kind: 'k', when: { v: 'a' } });
    await createRowlock({ driver, captures: [capture] }).captures.backfill('c0');
    expect(await stage.changes()).toEqual(['backfill 1']);
    expect(await othersWhoRan()).toEqual([]);
  });
});

describe('types of extensions, in a schema of their own', () => {
  /** They are part of the server's packages. */
  async function extended(
    extension: string,
    table: string,
    options: Parameters<CaptureStage['captured']>[1],
  ) {
    const rowlock = await stage.captured(
      `CREATE SCHEMA "an ""ext"; CREATE EXTENSION ${extension} SCHEMA "an ""ext"; SET search_path = app, "an ""ext"; ${table}`,
      options,
    );
    onTestFinished(async () => void (await stage.client.query('DROP SCHEMA "an ""ext" CASCADE')));
    return rowlock;
  }

  test.each([
    ['citext', 'v citext'],
    ['a domain of citext', 'v mail'],
  ])('a condition on %s matches as the type does, in triggers and in a backfill', async (_, column) => {
    const rowlock = await extended(
      'citext',
      `CREATE DOMAIN mail AS citext; CREATE TABLE t (id int PRIMARY KEY, ${column})`,
      { when: { v: ['PAID', `it's "odd" \\`, null] }, payload: ['v'] },
    );
    await stage.client.query(
      `INSERT INTO t VALUES (1, 'paid'), (2, 'Paid'), (3, 'draft'), (4, 'It''s "ODD" \\'), (5, NULL)`,
    );
    expect(await stage.changes()).toEqual(['insert 1', 'insert 2', 'insert 4', 'insert 5']);
    await rowlock.captures.backfill('c0', { batch: 1 });
    expect((await stage.changes()).slice(4)).toEqual([
      'backfill 1',
      'backfill 2',
      'backfill 4',
      'backfill 5',
    ]);
    expect((await stage.payloads())[1]).toMatchObject({ new: { v: 'Paid' } });
  });

  test.each<[extension: string, type: string, one: string, two: string]>([
    ['citext', 'citext', 'One', 'Two'],
    ['ltree', 'ltree', 'a.b', 'a.c'],
    ['isn', 'isbn13', '978-0-393-04002-9', '978-0-11-000222-4'],
    ['hstore', 'hstore', '"a"=>"1"', '"a"=>"2"'],
  ])('%s: an id, and a part of one', async (extension, type, one, two) => {
    const rowlock = await extended(
      extension,
      `CREATE TABLE t (id ${type} PRIMARY KEY, part int NOT NULL DEFAULT 1, note text, UNIQUE (part, id))`,
      [{}, { id: ['part', 'id'], kind: 'two', key: 'id' }],
    );
    const values = [one, two].toSorted();
    await stage.client.query('INSERT INTO t (id) VALUES ($1), ($2)', [one, two]);
    await stage.client.query("UPDATE t SET note = 'x' WHERE id = $1", [one]);
    await stage.client.query('DELETE FROM t WHERE id = $1', [one]);
    const expected = [...values.map((each) => `insert ${each}`), `update ${one}`, `delete ${one}`];
    expect((await stage.changes()).toSorted()).toEqual([...expected, ...expected].toSorted());
    await stage.client.query('TRUNCATE rowlock.job');
    await stage.client.query("SET rowlock.capture = 'off'");
    await stage.client.query('INSERT INTO t (id) VALUES ($1)', [one]);
    await stage.client.query('RESET rowlock.capture');
    for (const name of ['c0', 'c1'])
      expect(await rowlock.captures.backfill(name, { batch: 1 })).toEqual({ rows: 2 });
    const filled = values.map((each) => `backfill ${each}`);
    expect((await stage.changes()).toSorted()).toEqual([...filled, ...filled].toSorted());
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }, { problems: [] }]);
  });

  test.each([
    ['a domain of an enum', 'step', "'paid'", 'int', 'n'],
    ['a domain of an enum, behind a number', 'int', 'n', 'step', "'paid'"],
    ['a domain of citext', 'mail', "'A' || n", 'int', '0'],
    ['a domain of a number, behind citext', 'citext', "'a'", 'count', 'n'],
    ['a text with a collation, beside an enum', 'text COLLATE "C"', "'ä' || n", 'state', "'paid'"],
    ['a domain of such a text, behind an enum', 'state', "'paid'", 'label', "'ä' || n"],
  ])('a backfill by %s comes to each row once', async (_, id, ids, part, parts) => {
    const rowlock = await extended(
      'citext',
      `CREATE TYPE state AS ENUM ('draft', 'paid'); CREATE DOMAIN step AS state; CREATE DOMAIN mail AS citext;
       CREATE DOMAIN count AS int; CREATE DOMAIN label AS text COLLATE "C";
       CREATE TABLE t (id ${id}, part ${part}, n int, PRIMARY KEY (id, part));
       INSERT INTO t SELECT ${ids}, ${parts}, n FROM generate_series(1, 5) AS n`,
      { id: ['id', 'part'], payload: ['n'] },
    );
    expect(await rowlock.captures.backfill('c0', { batch: 2 })).toEqual({ rows: 5 });
    const filled = (await stage.payloads()).map((payload) => Object(payload).new.n);
    expect(filled.toSorted()).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('apply refuses what every writer would fail on, and what no row has', () => {
  const KINDS = `
    CREATE TYPE state AS ENUM ('draft', 'paid'); CREATE TYPE size AS (width int); CREATE DOMAIN short AS varchar(3);
    CREATE TABLE t (id bigint PRIMARY KEY, s text, n int, d date, e state, j json, p point, c size, es state[], b boolean, u uuid,
                    code char(3), word short, price numeric(10, 2), ratio real, at timestamptz(0), during tstzrange, bits bit(3))`;

  test.each<[string, NonNullable<Options['when']>]>([
    ['operator does not exist: text = integer', { s: 5 }],
    ['operator does not exist: text = boolean', { s: ['a', true] }],
    ['operator does not exist: integer = boolean', { n: true }],
    ['invalid input syntax for type integer: "x"', { n: 'x' }],
    ['invalid input syntax for type date: "soon"', { d: ['2026-01-01', 'soon'] }],
    ['date/time field value out of range: "31.12.2026"', { d: '31.12.2026' }],
    ['has no value "payed"', { e: ['paid', 'payed'] }],
    ['are texts', { e: 1 }],
    ['operator does not exist: json', { j: '{}' }],
    ['operator does not exist: point', { p: '(1,2)' }],
    ['cannot be compared', { c: '(1)' }],
    ['cannot be compared', { es: '{paid}' }],
    ['operator does not exist: boolean = integer', { b: 1 }],
    ['invalid input syntax for type uuid', { u: 'x' }],
    ['never has 1.5', { n: [1, 1.5] }],
    ['never has 3000000000', { n: 3_000_000_000n }],
    ['never has "ABCD"', { code: 'ABCD' }],
    ['never has "ABCD"', { word: ['ABC', 'ABCD'] }],
    ['never has "1.005"', { price: '1.005' }],
    ['never has 0.1', { ratio: 0.1 }],
    ['never has "2026-01-01 00:00:00.4"', { at: '2026-01-01 00:00:00.4' }],
    ['never has "10"', { bits: '10' }],
    ['another time each day', { d: 'today' }],
    ['another time each day', { at: ['2026-01-01', 'NOW'] }],
    ['another time each day', { during: '[yesterday,infinity)' }],
  ])('%s', async (message, when) => {
    const rowlock = await stage.captured(KINDS, { when }, false);
    const [column = ''] = Object.keys(when);
    const refused = {
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(
        new RegExp(`^The capture "c0": the table app\\.t .*when\\.${column}\\b.*`),
      ),
    };
    await expect(rowlock.captures.apply()).rejects.toMatchObject(refused);
    await expect(rowlock.captures.apply()).rejects.toThrow(message);
    await expect(rowlock.captures.apply()).rejects.not.toThrow(/migrate\(\)/);
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [{ code: 'table', message: expect.stringContaining(message) }] },
    ]);
    await stage.client.query("INSERT INTO t (id, s, e) VALUES (1, '5', 'paid')");
  });

  test.each([
    ['statements', ''],
    ['rows', ' PARTITION BY RANGE (id)'],
  ])('and check tells it of a column that changes later, with triggers of %s', async (_, partitions) => {
    const rowlock = await stage.captured(
      `CREATE TABLE t (id bigint PRIMARY KEY, v text)${partitions}${partitions === '' ? '' : '; CREATE TABLE p PARTITION OF t DEFAULT'}`,
      { when: { v: 'a' } },
    );
    await stage.client.query('ALTER TABLE t ALTER v TYPE json USING to_json(v)');
    const message = expect.stringMatching(/when\.v.*operator does not exist: json/);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'table', message }] }]);
    await expect(rowlock.captures.apply()).rejects.toMatchObject({ message });
    await expect(rowlock.captures.backfill('c0')).rejects.toMatchObject({ message });
  });

  test('and of a value that an enum has no more', async () => {
    const rowlock = await stage.captured(
      "CREATE TYPE state AS ENUM ('draft', 'paid'); CREATE DOMAIN step AS state; CREATE TABLE t (id int PRIMARY KEY, v step)",
      { when: { v: 'paid' } },
    );
    await stage.client.query(
      "INSERT INTO t VALUES (1, 'paid'); ALTER TYPE state RENAME VALUE 'paid' TO 'settled'",
    );
    await stage.client.query("INSERT INTO t VALUES (2, 'settled')");
    expect(await stage.changes()).toEqual(['insert 1']);
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [{ code: 'table', message: expect.stringMatching(/when\.v.*no value "paid"/) }] },
    ]);
  });

  test('but not a column that is still compared', async () => {
    const rowlock = await stage.captured('CREATE TABLE t (id int PRIMARY KEY, v varchar(3))', {
      when: { v: 'a', id: 1 },
    });
    await stage.client.query('ALTER TABLE t ALTER v TYPE text, ALTER id TYPE bigint');
    await stage.client.query("INSERT INTO t VALUES (1, 'a'), (2, 'a')");
    expect(await stage.changes()).toEqual(['insert 1']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });

  test('nor one that is written in another way', async () => {
    const when = {
      ...{ n: [-2147483648, 1e3], code: 'A ', word: 'ABC', price: ['1.5', 2], ratio: ['0.1', 0.5] },
      ...{ at: '2026-01-01 01:00:00+01', bits: '101', d: 'infinity', during: '[2026-01-01,)', b: 't' },
    };
    await stage.captured(KINDS, { when, on: { insert: true } });
    await stage.client.query(
      `INSERT INTO t (id, n, code, word, price, ratio, at, bits, d, during, b)
       VALUES (1, 1000, 'A', 'ABC', 2, 0.1, '2026-01-01Z', B'101', 'infinity', '[2026-01-01Z,)', true)`,
    );
    expect(await stage.changes()).toEqual(['insert 1']);
  });

  test('nor a column with a name of the trigger function', async () => {
    const names = ['changes', 'written', 'tg_op', 'new_rows', 'found'];
    await stage.captured(
      `CREATE TABLE t (id int PRIMARY KEY, ${names.map((each) => `${each} int`).join()})`,
      {
        payload: names,
        on: { insert: true, update: names },
        when: Object.fromEntries(names.map((each) => [each, 1])),
      },
    );
    await stage.client.query('INSERT INTO t VALUES (1, 1, 1, 1, 1, 1); UPDATE t SET written = 2');
    expect(await stage.changes()).toEqual(['insert 1', 'update 1']);
  });

  test('nor an empty value of an enum, or a long key of short values', async () => {
    const ids = Array.from({ length: 16 }, (_, n) => `u${n}`);
    const rowlock = await stage.captured(
      `CREATE TYPE state AS ENUM ('', 'paid'); CREATE TABLE t (id int PRIMARY KEY, v state, ${ids.map((each) => `${each} uuid DEFAULT gen_random_uuid()`).join()})`,
      [{ key: 'v' }, { key: ids }],
    );
    await stage.client.query("INSERT INTO t VALUES (1, ''), (2, 'paid')");
    await rowlock.captures.backfill('c0');
    const { rows } = await stage.client.query(
      "SELECT payload->>'capture' AS capture, length(key) FROM rowlock.job ORDER BY id",
    );
    expect(rows.map(({ capture, length }) => `${capture} ${length}`).toSorted()).toEqual([
      'c0 4',
      'c0 4',
      'c0 null',
      'c0 null',
      'c1 64',
      'c1 64',
    ]);
  });

  test('values of 300 columns are captured', async () => {
    const columns = Array.from({ length: 300 }, (_, n) => `v${n}`);
    await stage.captured(
      `CREATE TABLE t (id int PRIMARY KEY, ${columns.map((each) => `${each} text`).join()})`,
      {
        payload: columns,
        on: { insert: true, update: columns, delete: true },
      },
    );
    await stage.client.query(
      "INSERT INTO t (id, v0, v299) VALUES (1, 'first', 'last'); UPDATE t SET v1 = 'x'",
    );
    const [inserted, updated] = await stage.payloads();
    expect(Object.keys(Object(inserted).new)).toHaveLength(300);
    expect(inserted).toMatchObject({ new: { v0: 'first', v1: null, v299: 'last' } });
    expect(updated).toMatchObject({ old: { v1: null }, new: { v1: 'x', v299: 'last' } });
  });

  test('a condition is read by the settings of the capture, whatever the writer has', async () => {
    const rowlock = await stage.captured('CREATE TABLE t (id int PRIMARY KEY, at timestamptz)', {
      when: { at: '2026-07-01 12:00' },
    });
    await stage.client.query(
      "SET timezone = 'Asia/Tokyo'; INSERT INTO t VALUES (1, '2026-07-01 12:00'), (2, '2026-07-01 12:00Z'); RESET timezone",
    );
    expect(await stage.changes()).toEqual(['insert 2']);
    await rowlock.captures.backfill('c0');
    expect(await stage.changes()).toEqual(['insert 2', 'backfill 2']);
  });

  test('and a role without the rights that the triggers need', async () => {
    const { role, href } = await stage.user('applier');
    const rowlock = await stage.captured(
      `CREATE TABLE t (id bigint PRIMARY KEY); GRANT USAGE ON SCHEMA app TO ${role}; GRANT TRIGGER ON t TO ${role};
       GRANT USAGE, CREATE ON SCHEMA rowlock TO ${role}; GRANT INSERT ON rowlock.bell TO ${role}`,
      {},
      false,
    );
    const own = postgres({ connectionString: href });
    onTestFinished(() => own.close());
    const capture = defineCapture({ name: 'c0', table: 'app.t', id: ['id'], kind: 'k' });
    const { captures } = createRowlock({ driver: own, captures: [capture] });
    const refused = `have the rights of "${role}", which lacks INSERT on job, SELECT on worker`;
    await expect(captures.apply()).rejects.toThrow(refused);
    await stage.client.query(
      `GRANT INSERT ON rowlock.job TO ${role}; GRANT SELECT ON rowlock.worker TO ${role}`,
    );
    await captures.apply();
    await stage.client.query('INSERT INTO t VALUES (1)');
    expect(await captures.check()).toMatchObject([{ problems: [] }]);
    await stage.client.query(`REVOKE INSERT ON rowlock.job FROM ${role}`);
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [{ code: 'table', message: expect.stringContaining('lacks INSERT on job.') }] },
    ]);
    await stage.client.query(
      `DROP TRIGGER rowlock_capture_c0_delete ON t; DROP FUNCTION rowlock.capture_c0 CASCADE`,
    );
  });
});

test.each(['money', 'money[]', 'app.priced'])(
  '%s is written by one locale, whatever that of a session is',
  async (type) => {
    await stage.captured(
      `CREATE TYPE priced AS (price money); CREATE TABLE t (id int PRIMARY KEY, price ${type})`,
      { payload: ['price'] },
    );
    const { rows } = await stage.client.query("SELECT proconfig FROM pg_proc WHERE proname = 'capture_c0'");
    expect(rows).toMatchObject([{ proconfig: expect.arrayContaining(['lc_monetary=C']) }]);
    await stage.client.query('INSERT INTO t VALUES (1, NULL)');
    expect(await stage.changes()).toEqual(['insert 1']);
  },
);
