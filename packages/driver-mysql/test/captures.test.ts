import { Readable } from 'node:stream';
import { createRowlock, defineCapture, type Rowlock } from '@rowlock/core';
import type { CaptureOptions } from '@rowlock/core/types';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backfill } from '../src/captures/backfill.js';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

let url: string;
let drop: () => Promise<void>;
let client: Connection;
let driver: ReturnType<typeof mysql>;

beforeAll(async () => {
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
  driver = mysql({ uri: url });
  await driver.schema.migrate();
  client = await connected();
});

afterAll(async () => {
  await client.end();
  await driver.close();
  await drop();
});

beforeEach(async () => {
  await client.query('DELETE FROM rowlock_job');
  await client.query('DELETE FROM rowlock_bell');
  await client.query('DELETE FROM rowlock_capture_loss');
  await client.query('DELETE FROM rowlock_capture_backfill');
});

function connected(user?: string): Promise<Connection> {
  const own = new URL(url);
  if (user !== undefined) {
    own.username = user;
    own.password = 'change-me';
  }
  return createConnection({ uri: own.href, multipleStatements: true, timezone: 'Z' });
}

type Options = Partial<CaptureOptions<string, string, string>>;

/** Runs the statements that make a table `t`, and captures it. All is gone after the test. */
async function captured(
  statements: string,
  options: Options | readonly Options[] = {},
  isApplied = true,
): Promise<Rowlock<MysqlTransaction>> {
  const captures = [options]
    .flat()
    .map((each, n) =>
      defineCapture<string, string, string>({ name: `c${n}`, table: 't', id: ['id'], kind: 'k', ...each }),
    );
  const rowlock = createRowlock({ driver, captures });
  onTestFinished(async () => {
    await rowlock.captures.drop();
    await client.query(
      'SET @rowlock_capture = NULL; SET timestamp = DEFAULT; DROP VIEW IF EXISTS v; DROP TABLE IF EXISTS child, t',
    );
  });
  await client.query(statements);
  if (isApplied) await rowlock.captures.apply();
  return rowlock;
}

async function rows(sql: string, on = client): Promise<readonly RowDataPacket[]> {
  return (await on.query<RowDataPacket[]>(sql))[0];
}

/** Each job: its operation, and its key. */
async function changes(): Promise<readonly string[]> {
  const found = await rows('SELECT CAST(payload AS CHAR) AS payload, `key` FROM rowlock_job ORDER BY id');
  return found.map(({ payload, key }) => {
    const { op, of } = JSON.parse(payload);
    return of === undefined ? `${op} ${key}` : `${op} of ${of}`;
  });
}

async function payloads(): Promise<readonly unknown[]> {
  const found = await rows('SELECT CAST(payload AS CHAR) AS payload FROM rowlock_job ORDER BY id');
  return found.map(({ payload }) => JSON.parse(payload));
}

const TABLE = 'CREATE TABLE t (id BIGINT PRIMARY KEY, note TEXT)';

describe('every way to write', () => {
  test.each([
    [
      'an upsert',
      "INSERT INTO t VALUES (1, 'x'), (2, 'x') ON DUPLICATE KEY UPDATE note = 'x'",
      ['update 1', 'insert 2'],
    ],
    ['INSERT IGNORE', 'INSERT IGNORE INTO t VALUES (1, NULL), (2, NULL)', ['insert 2']],
    ['REPLACE', "REPLACE INTO t VALUES (1, 'x'), (2, 'x')", ['delete 1', 'insert 1', 'insert 2']],
    ['INSERT … SELECT', 'INSERT INTO t SELECT id + 1, note FROM t', ['insert 2']],
    ['an UPDATE of several tables', "UPDATE t JOIN t AS other USING (id) SET t.note = 'x'", ['update 1']],
    ['a DELETE of several tables', 'DELETE t FROM t JOIN t AS other USING (id)', ['delete 1']],
    [
      'a prepared statement',
      "PREPARE s FROM 'DELETE FROM t WHERE id = ?'; SET @id = 1; EXECUTE s USING @id; DEALLOCATE PREPARE s",
      ['delete 1'],
    ],
    ['an updatable view', 'CREATE VIEW v AS SELECT * FROM t; INSERT INTO v VALUES (2, NULL)', ['insert 2']],
    ['a key that moves', 'UPDATE t SET id = 9', ['update 1', 'update 9']],
  ])('%s', async (_, statement, expected) => {
    await captured(TABLE);
    await client.query(
      "SET @rowlock_capture = 'off'; INSERT INTO t VALUES (1, NULL); SET @rowlock_capture = NULL",
    );
    await client.query(statement);
    expect((await changes()).toSorted()).toEqual(expected.toSorted());
  });

  test.each(['REPEATABLE READ', 'SERIALIZABLE'])('a writer at %s', async (level) => {
    await captured(TABLE);
    await client.query(
      `SET TRANSACTION ISOLATION LEVEL ${level}; START TRANSACTION; INSERT INTO t VALUES (1, NULL); COMMIT`,
    );
    expect(await changes()).toEqual(['insert 1']);
  });

  test('other triggers of the table: the final values are captured', async () => {
    await captured(TABLE, { payload: ['note'] });
    await client.query(
      'CREATE TRIGGER a_first BEFORE INSERT ON t FOR EACH ROW SET NEW.note = UPPER(NEW.note)',
    );
    await client.query("INSERT INTO t VALUES (1, 'a')");
    expect(await payloads()).toMatchObject([{ new: { note: 'A' } }]);
  });

  test('a writer gets the id of its own row', async () => {
    await captured('CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY)');
    await client.query('INSERT INTO t VALUES (41)');
    const [found] = await client.query('INSERT INTO t VALUES (NULL); SELECT LAST_INSERT_ID() AS id');
    expect(found).toMatchObject([{ insertId: 42 }, [{ id: 42 }]]);
  });

  test.each([
    ['LOAD DATA', '', ['insert 2', 'insert 3']],
    ['LOAD DATA … REPLACE', 'REPLACE', ['delete 3', 'insert 2', 'insert 3']],
  ])('%s', async (_, how, expected) => {
    await captured(TABLE);
    const [before] = await rows('SELECT @@GLOBAL.local_infile AS allowed');
    onTestFinished(async () => void (await client.query(`SET GLOBAL local_infile = ${before?.allowed}`)));
    await client.query('SET GLOBAL local_infile = 1');
    if (how !== '')
      await client.query(
        "SET @rowlock_capture = 'off'; INSERT INTO t VALUES (3, NULL); SET @rowlock_capture = NULL",
      );
    const loading = await createConnection({
      uri: url,
      infileStreamFactory: () => Readable.from([Buffer.from('2\tx\n3\ty\n')]),
    });
    onTestFinished(() => loading.end());
    await loading.query(`LOAD DATA LOCAL INFILE 'rows' ${how} INTO TABLE t`);
    expect((await changes()).toSorted()).toEqual(expected);
  });

  test('partitions, and a row that goes from one to another', async () => {
    await captured(
      'CREATE TABLE t (id BIGINT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))',
    );
    await client.query('INSERT INTO t VALUES (1); UPDATE t SET id = 11; DELETE FROM t PARTITION (b)');
    expect(await changes()).toEqual(['insert 1', 'update 1', 'update 11', 'delete 11']);
  });
});

describe('tables', () => {
  test.each([
    [
      'a view',
      'CREATE TABLE child (id BIGINT); CREATE VIEW v AS SELECT * FROM child',
      { table: 'v' },
      'is a view',
    ],
    [
      'a table without transactions',
      'CREATE TABLE t (id BIGINT PRIMARY KEY) ENGINE = MyISAM',
      {},
      'is kept by MyISAM',
    ],
    [
      'a key of a part of a column',
      'CREATE TABLE t (id VARCHAR(20) NOT NULL, UNIQUE (id(5)))',
      {},
      'has no primary key',
    ],
    ['a key with nulls', 'CREATE TABLE t (id BIGINT UNIQUE)', {}, 'has no primary key'],
    ["one of Rowlock's own", 'DO 0', { table: 'rowlock_job' }, "is one of Rowlock's own"],
  ])('%s is refused', async (_, statements, options, message) => {
    const rowlock = await captured(statements, options, false);
    await expect(rowlock.captures.apply()).rejects.toThrow(message);
  });

  test('a column that is invisible, and an id that the server has added', async ({ skip }) => {
    await captured('CREATE TABLE t (id INT PRIMARY KEY, note TEXT INVISIBLE)', { payload: ['note'] });
    await client.query("INSERT INTO t (id, note) VALUES (1, 'a')");
    expect(await payloads()).toMatchObject([{ new: { note: 'a' } }]);
    skip(product === 'mariadb', 'MariaDB adds none');
    await client.query('DROP TABLE t; SET SESSION sql_generate_invisible_primary_key = 1');
    const rowlock = await captured(
      'CREATE TABLE t (note TEXT); SET SESSION sql_generate_invisible_primary_key = 0',
      { id: ['my_row_id'] },
    );
    await client.query("INSERT INTO t VALUES ('a')");
    await rowlock.captures.backfill('c0');
    expect((await changes()).slice(1)).toEqual(['insert 1', 'backfill 1']);
  });

  test('a table with versions', async ({ skip }) => {
    skip(product === 'mysql', 'MySQL has none');
    const rowlock = await captured(`${TABLE} WITH SYSTEM VERSIONING`);
    await client.query(
      "INSERT INTO t VALUES (1, NULL), (2, NULL); UPDATE t SET note = 'a'; DELETE FROM t WHERE id = 2",
    );
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual([
      'insert 1',
      'insert 2',
      'update 1',
      'update 2',
      'delete 2',
      'backfill 1',
    ]);
  });

  test('an empty value of an ENUM is no key, and a long key of numbers is its hash', async () => {
    const digits = Array.from({ length: 12 }, (_, n) => `d${n}`);
    const rowlock = await captured(
      `CREATE TABLE t (id INT PRIMARY KEY, mood ENUM('', 'B'), ${digits.map((each) => `${each} DECIMAL(65) DEFAULT ${'9'.repeat(65)}`).join()})`,
      [{ key: 'mood' }, { key: digits }],
    );
    await client.query(
      "INSERT INTO t (id, mood) VALUES (1, ''); SET SESSION sql_mode = ''; INSERT INTO t (id, mood) VALUES (2, 'none'); SET SESSION sql_mode = DEFAULT",
    );
    await rowlock.captures.backfill('c0');
    const keys = await rows('SELECT CHAR_LENGTH(`key`) AS length FROM rowlock_job');
    expect(keys.map(({ length }) => length).toSorted()).toEqual([64, 64, null, null, null, null]);
  });

  test('what REPLACE is, is a warning where nothing of it is captured', async () => {
    const rowlock = await captured(TABLE, [{ on: { update: true } }, { on: { insert: true } }]);
    const told = await rowlock.captures.check();
    expect(told.map(({ warnings }) => warnings)).toEqual([[expect.stringContaining('REPLACE of a row')], []]);
    await client.query('INSERT INTO t VALUES (1, NULL); REPLACE INTO t VALUES (1, NULL)');
    expect(await changes()).toEqual(['insert 1', 'insert 1']);
  });

  test('cascades and TRUNCATE, which fire no trigger, are told', async () => {
    const rowlock = await captured(
      `${TABLE}; CREATE TABLE child (id BIGINT PRIMARY KEY, t BIGINT, CONSTRAINT to_t FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE)`,
      [{ table: 'child' }, { on: { insert: true } }],
    );
    const told = await rowlock.captures.check();
    expect(told.map(({ warnings }) => warnings)).toEqual([
      [
        expect.stringContaining('foreign key to_t'),
        'TRUNCATE of the table, and of a partition, is not captured.',
      ],
      [],
    ]);
    await client.query('INSERT INTO t VALUES (1, NULL); INSERT INTO child VALUES (10, 1)');
    await client.query('DELETE FROM t; TRUNCATE child');
    expect(await changes()).toEqual(['insert 1', 'insert 10']);
  });
});

describe('what every writer would fail on, or never match, is refused', () => {
  const WHEN = `CREATE TABLE t (id INT PRIMARY KEY, n INT, price DECIMAL(5, 2), ratio DOUBLE, flags BIT(3), made YEAR,
                                word VARCHAR(9), bytes VARBINARY(9), day DATE, at DATETIME, stamp TIMESTAMP NULL, time TIME,
                                mood ENUM('it''s', 'B'), moods SET('a', 'b'), place POINT, j JSON, tiny TINYINT UNSIGNED,
                                loose FLOAT, code CHAR(3) COLLATE utf8mb4_bin, fixed BINARY(3))`;

  test.each<
    [column: string, ...values: NonNullable<CaptureOptions<string, string, string>['when']>[string][]]
  >([
    ['n', 'abc', '', ' ', '0x5', '5a', 1.5, 3e9],
    ['price', 'abc', '', '1,5', 1.005, '1.005', [1, 1000]],
    ['tiny', -1, 300, '300', [1, 256]],
    ['loose', 0.1, '0.1'],
    ['code', 'ABCD', ['ABC', 'ABCD']],
    ['fixed', 'ab', 'abcd'],
    ['ratio', 'abc', '', 'e5'],
    ['flags', 'abc', ''],
    ['made', 'abc', '', 26, 2500],
    ['word', 'longer than nine', 5, true, ['a', 5], 5n],
    ['bytes', 5],
    ['day', 'nope', '', '2026-13-01', 5, true, ['2026-01-01', 'nope']],
    ['at', 'nope', 5, '2026-01-01 10:00:00.5'],
    ['stamp', 'nope', ''],
    ['time', 'nope', '', '10:00:00.5'],
    ['mood', 'nope', 1, ''],
    ['moods', 'nope', 'a,nope', 1, 'b,a'],
    ['place', 'POINT(1 2)', 5],
    ...(product === 'mysql' ? [['j', 'x', 5] satisfies [string, ...(string | number)[]]] : []),
  ])('when.%s', async (column, ...values) => {
    const rowlock = await captured(
      WHEN,
      values.map((value, n) => ({ name: `c${n}`, when: { [column]: value } })),
      false,
    );
    for (const { problems } of await rowlock.captures.check())
      expect(problems).toEqual([
        { code: 'table', message: expect.stringMatching(new RegExp(`the table t .*when.${column}`)) },
      ]);
    await expect(rowlock.captures.apply()).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    await expect(rowlock.captures.sql()).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  });

  test('what fits is not refused, and matches', async () => {
    await captured(WHEN, {
      when: {
        ...{ n: ['5', 5, -1n, true], price: [1.5, '1.50'], ratio: '1e3', flags: 5, made: 2026 },
        ...{
          word: 'ä',
          bytes: 'x',
          day: ['2026-01-01', null],
          at: '2026-01-01 10:00:00',
          stamp: ['2026-01-01', '0000-00-00 00:00:00'],
        },
        ...{ tiny: [255, '1.0'], loose: 0.5, code: 'AB ', fixed: 'abc' },
        ...{ time: '-10:00', mood: ["IT'S", 'b'], moods: ['b', 'a,b', ''], place: null },
      },
      on: { insert: true },
    });
    await client.query(
      "INSERT INTO t (id, n, price, ratio, flags, made, word, bytes, day, at, stamp, time, mood, moods, tiny, loose, code, fixed) VALUES (1, 5, 1.5, 1000, 5, 2026, 'ä', 'x', NULL, '2026-01-01 10:00:00', '2026-01-01', '-10:00', 'it''s', 'a,b', 1, 0.5, 'AB', 'abc')",
    );
    await client.query(
      "SET SESSION sql_mode = ''; INSERT INTO t SELECT 2, n, price, ratio, flags, made, word, bytes, day, at, 0, time, mood, moods, place, j, tiny, loose, code, fixed FROM t; SET SESSION sql_mode = DEFAULT",
    );
    expect(await changes()).toEqual(['insert 1', 'insert 2']);
  });

  test('times match in each session as in a backfill, however they are written', async () => {
    const when = {
      day: '2026-1-1',
      at: '2026-01-01T10:00',
      stamp: '2026-01-01 10:00',
      time: ['-10:00', '9:00'],
    };
    const rowlock = await captured(WHEN, { when, on: { insert: true } });
    await client.query("SET time_zone = '+02:00'");
    await client.query(
      "INSERT INTO t (id, day, at, stamp, time) VALUES (1, '2026-01-01', '2026-01-01 10:00:00', '2026-01-01 12:00:00', '09:00:00')",
    );
    await client.query('SET time_zone = DEFAULT');
    expect(await changes()).toEqual(['insert 1']);
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual(['insert 1', 'backfill 1']);
  });

  test('a column that becomes another one later is found by check', async () => {
    const rowlock = await captured('CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(9))', {
      when: { word: '1' },
    });
    await client.query('ALTER TABLE t MODIFY word JSON');
    expect(await rowlock.captures.check()).toMatchObject([
      { problems: [{ code: 'table', message: expect.stringContaining('when.word') }] },
    ]);
  });

  test('a sign that the character set of the column does not have', async () => {
    const rowlock = await captured(
      'CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(9) CHARACTER SET cp932)',
      { when: { word: '🚣' } },
      false,
    );
    await rowlock.captures.apply().then(
      () => client.query("INSERT INTO t VALUES (1, 'a')"),
      (error: unknown) => expect(error).toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' }),
    );
  });

  test('a hundred columns, and vectors, are captured', async () => {
    const names = Array.from({ length: 120 }, (_, n) => `c${n}`);
    const vector = product === 'mysql' ? ', v VECTOR(2)' : '';
    await captured(
      `CREATE TABLE t (id INT PRIMARY KEY, ${names.map((name) => `${name} INT`).join()}${vector})`,
      {
        payload: [...names, ...(product === 'mysql' ? ['v'] : [])],
        ...(product === 'mysql' ? { on: { insert: true, update: ['v'] } } : {}),
      },
    );
    await client.query('INSERT INTO t (id, c119) VALUES (1, 7)');
    expect(await payloads()).toMatchObject([{ new: { c119: '7' } }]);
    if (product === 'mariadb') return;
    await client.query("UPDATE t SET v = STRING_TO_VECTOR('[1,2]')");
    expect((await payloads()).at(-1)).toMatchObject({
      old: { v: null },
      new: { v: '[1.00000e+00,2.00000e+00]' },
    });
  });
});

describe('values', () => {
  test('are the same text in each session', async () => {
    await captured(
      `CREATE TABLE t (id TIMESTAMP(3) PRIMARY KEY, at DATETIME(6), bytes VARBINARY(20), flags BIT(10), big BIGINT UNSIGNED, ratio DOUBLE, j JSON,
                       word VARCHAR(20) CHARACTER SET latin1, twice BIGINT AS (2 * big) STORED, late VARCHAR(30) AS (CONCAT(word, '!')) VIRTUAL, place POINT)`,
      { payload: ['at', 'bytes', 'flags', 'big', 'ratio', 'j', 'word', 'late', 'place'] },
    );
    await client.query("SET time_zone = '+02:00'");
    await client.query(
      `INSERT INTO t (id, at, bytes, flags, big, ratio, j, word, place)
       VALUES ('2026-07-01 12:00:00.5', '2026-01-01 00:00:00.000001', X'00FF', b'101', 9007199254740993, 0.1, '{"a": [1]}', 'é', ST_GeomFromText('POINT(1 2)'))`,
    );
    await client.query("SET time_zone = '-05:00'; SET NAMES latin1");
    await client.query('DELETE FROM t');
    await client.query("SET time_zone = '+00:00'; SET NAMES utf8mb4");
    const id = { id: '2026-07-01 10:00:00.500000' };
    const values = {
      at: '2026-01-01 00:00:00.000001',
      bytes: '00FF',
      flags: '5',
      big: '9007199254740993',
      ratio: '0.1',
      j: '{"a": [1]}',
      word: 'é',
      late: 'é!',
      place: 'POINT(1 2)',
    };
    expect(await payloads()).toEqual([
      { capture: 'c0', op: 'insert', id, new: values },
      { capture: 'c0', op: 'delete', id, old: values },
    ]);
  });

  test('a zero timestamp is told as it is', async () => {
    await captured('CREATE TABLE t (id INT PRIMARY KEY, at TIMESTAMP NULL)', { payload: ['at'] });
    await client.query(
      "SET sql_mode = ''; INSERT INTO t VALUES (1, '0000-00-00'), (2, NULL); SET sql_mode = DEFAULT",
    );
    expect(await payloads()).toMatchObject([{ new: { at: '0000-00-00 00:00:00' } }, { new: { at: null } }]);
  });

  test('changes that a collation does not see, and of JSON, are seen', async () => {
    await captured('CREATE TABLE t (id BIGINT PRIMARY KEY, word VARCHAR(20), j JSON, other TEXT)', {
      on: { update: ['word', 'j'] },
    });
    await client.query(`INSERT INTO t VALUES (1, 'a', '{"a": 1}', NULL)`);
    await client.query("UPDATE t SET word = 'a', other = 'x'");
    expect(await changes()).toEqual([]);
    await client.query("UPDATE t SET word = 'A'");
    await client.query(`UPDATE t SET j = '{"a": 2}'`);
    await client.query('UPDATE t SET j = NULL');
    expect(await changes()).toEqual(['update 1', 'update 1', 'update 1']);
  });

  test('a sign that Unicode does not have is another one in the job, and the writer goes on', async () => {
    const rowlock = await captured(
      'CREATE TABLE t (id INT PRIMARY KEY, note VARCHAR(9) CHARACTER SET cp1251)',
      {
        payload: ['note'],
        key: 'note',
      },
    );
    await client.query("INSERT INTO t VALUES (1, _cp1251 x'6198')");
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual(['insert a?', 'backfill a?']);
  });

  test('values of more than 256 KiB are left out', async () => {
    await captured('CREATE TABLE t (id BIGINT PRIMARY KEY, note MEDIUMTEXT)', { payload: ['note'] });
    await client.query("INSERT INTO t VALUES (1, REPEAT(CHAR(1), 262144)), (2, REPEAT('x', 3000000))");
    const [first, second] = await payloads();
    expect(Object(first).new.note).toHaveLength(262_144);
    expect(second).toEqual({ capture: 'c0', op: 'insert', id: { id: '2' } });
  });

  test('odd names are quoted, and names that are too long are hashed', async () => {
    const name = `it's "odd" \\ $$ \n -- ${'ä'.repeat(50)}`;
    const rowlock = await captured(
      "CREATE TABLE `a.``table` (`the ``id` BIGINT PRIMARY KEY, `v'alue` VARCHAR(50))",
      {
        name,
        table: [new URL(url).pathname.slice(1), 'a.`table'],
        id: ['the `id'],
        payload: ["v'alue"],
        on: { insert: true, update: ["v'alue"] },
        kind: "a 'kind' 🚣",
        queue: 'a "queue"',
        when: { "v'alue": "a \\ 'value'" },
      },
    );
    onTestFinished(async () => void (await client.query('DROP TABLE `a.``table`')));
    await client.query("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    await client.query(`INSERT INTO \`a.\`\`table\` VALUES (1, 'a \\ ''value''')`);
    await client.query('SET sql_mode = DEFAULT');
    expect(await rows('SELECT queue, kind, `key` FROM rowlock_job')).toEqual([
      { queue: 'a "queue"', kind: "a 'kind' 🚣", key: '1' },
    ]);
    expect(await payloads()).toEqual([
      { capture: name, op: 'insert', id: { 'the `id': '1' }, new: { "v'alue": "a \\ 'value'" } },
    ]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    expect(await rowlock.captures.drop([name])).toEqual([name]);
  });
});

describe('bulk changes', () => {
  const numbers = (count: number, after = 0): string =>
    Array.from({ length: count }, (_, n) => `(${n + 1 + after}, NULL)`).join();

  test('beyond the threshold a statement writes one more job, and the next one counts anew', async () => {
    await captured(TABLE, { bulk: { over: 3 } });
    await client.query(`INSERT INTO t VALUES ${numbers(10)}`);
    await client.query("UPDATE t SET note = 'x' WHERE id <= 3");
    await client.query("UPDATE t SET note = 'y'");
    expect(await changes()).toEqual([
      ...['insert 1', 'insert 2', 'insert 3', 'bulk of insert'],
      ...['update 1', 'update 2', 'update 3'],
      ...['update 1', 'update 2', 'update 3', 'bulk of update'],
    ]);
    expect((await payloads())[3]).toEqual({ capture: 'c0', op: 'bulk', of: 'insert' });
    expect(await rows('SELECT CAST(wake_up AS CHAR) AS wake_up FROM rowlock_bell')).toHaveLength(3);
  });

  test('a session that stops its clock loses nothing: a bulk job that is claimed, or gone, has a successor', async () => {
    await captured(TABLE, { bulk: { over: 1 } });
    await client.query('SET timestamp = 1700000000');
    await client.query(`INSERT INTO t VALUES ${numbers(3)}`);
    expect(await changes()).toEqual(['insert 1', 'bulk of insert']);
    // Nobody has it: the lock keeps it until the commit.
    await client.query(`START TRANSACTION; INSERT INTO t VALUES ${numbers(2, 10)}`);
    const claimer = await connected();
    onTestFinished(() => claimer.end());
    await claimer.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    expect(
      await rows('SELECT id FROM rowlock_job WHERE `key` IS NULL FOR UPDATE SKIP LOCKED', claimer),
    ).toEqual([]);
    await client.query('COMMIT');
    expect(await changes()).toHaveLength(2);
    await claimer.query('START TRANSACTION');
    await claimer.query(
      "UPDATE rowlock_job SET status = 'cancelled', finished_at = NOW() WHERE `key` IS NULL",
    );
    const writes = client.query(`INSERT INTO t VALUES ${numbers(2, 20)}`);
    await claimer.query('COMMIT');
    await writes;
    expect(await changes()).toEqual(['insert 1', 'bulk of insert', 'bulk of insert']);
    await client.query('DELETE FROM rowlock_job');
    await client.query(`INSERT INTO t VALUES ${numbers(2, 30)}`);
    expect(await changes()).toEqual(['bulk of insert']);
  });

  test('the bulk job is found by its primary key', async () => {
    await client.query('SET @job = 1');
    const plan = "SELECT 1 FROM rowlock_job AS bulk WHERE bulk.id = @job AND bulk.status = 'new' FOR UPDATE";
    await client.query("INSERT INTO rowlock_job (id, kind) VALUES (1, 'k'), (2, 'k')");
    expect(await rows(`EXPLAIN ${product === 'mysql' ? 'FORMAT = TRADITIONAL ' : ''}${plan}`)).toMatchObject([
      { key: 'PRIMARY', type: 'const' },
    ]);
  });

  test('without bulk each row is a job', async () => {
    await captured(TABLE, { bulk: false });
    await client.query(`INSERT INTO t VALUES ${numbers(1001)}`);
    expect(await changes()).toHaveLength(1001);
  });
});

describe('wake-ups', () => {
  test.each([
    ['throttled', 1],
    ['always', 2],
    ['never', 0],
  ] as const)('%s: a statement of two rows rings %i times', async (notify, expected) => {
    await captured(TABLE, { notify, bulk: false });
    await client.query('INSERT INTO t VALUES (1, NULL), (2, NULL)');
    expect(await rows('SELECT id FROM rowlock_bell')).toHaveLength(expected);
  });
});

test('a session is not captured while it is off', async () => {
  await captured(TABLE);
  await client.query(
    "SET @rowlock_capture = 'off'; INSERT INTO t VALUES (1, NULL); SET @rowlock_capture = NULL",
  );
  expect(await changes()).toEqual([]);
  await client.query('INSERT INTO t VALUES (2, NULL)');
  expect(await changes()).toEqual(['insert 2']);
});

describe('drift', () => {
  async function nameOf(operation: string): Promise<string> {
    const [found] = await rows(
      `SELECT TRIGGER_NAME AS name FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_TABLE = 't' AND EVENT_MANIPULATION = '${operation}' AND TRIGGER_SCHEMA = DATABASE()`,
    );
    return found?.name;
  }

  test.each([
    ['a trigger that is gone', async () => `DROP TRIGGER \`${await nameOf('DELETE')}\``, ['missing']],
    [
      'another trigger of the same name',
      async () => {
        const name = await nameOf('UPDATE');
        return `DROP TRIGGER \`${name}\`; CREATE TRIGGER \`${name}\` AFTER UPDATE ON t FOR EACH ROW SET @nothing = 1`;
      },
      ['changed'],
    ],
    [
      'a column of another type',
      async () => 'ALTER TABLE t MODIFY note TIMESTAMP NULL',
      ['changed', 'changed', 'changed', 'changed', 'changed', 'changed'],
    ],
    ['the same table anew', async () => `DROP TABLE t; ${TABLE}`, ['missing', 'missing', 'missing']],
  ])('%s is found, and mended', async (_, statement, codes) => {
    const rowlock = await captured(TABLE, { payload: ['note'] });
    await client.query(await statement());
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(await rowlock.captures.apply()).toMatchObject([{ changed: true }]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    await client.query('INSERT INTO t VALUES (1, NULL); UPDATE t SET id = 1; DELETE FROM t');
    expect(await changes()).toEqual(['insert 1', 'update 1', 'delete 1']);
  });

  test.each([
    ['the old table stays', 'RENAME TABLE t TO child, fresh TO t'],
    ['the old table is dropped', 'RENAME TABLE t TO child, fresh TO t; DROP TABLE child'],
  ])('a table that another one has taken the place of, and %s', async (_, swap) => {
    const rowlock = await captured(TABLE);
    await client.query(`CREATE TABLE fresh LIKE t; ${swap}`);
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems.map(({ code }) => code).filter((code) => code === 'missing')).toHaveLength(3);
    expect(await rowlock.captures.apply()).toMatchObject([{ changed: true }]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    await client.query("INSERT INTO t VALUES (1, NULL); UPDATE t SET note = 'a'; DELETE FROM t");
    expect(await changes()).toEqual(['insert 1', 'update 1', 'delete 1']);
    expect(
      await rows(
        "SELECT * FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE <> 't'",
      ),
    ).toEqual([]);
  });

  test("the script of a table that was swapped drops the old table's triggers first", async () => {
    const rowlock = await captured(TABLE);
    await client.query('CREATE TABLE fresh LIKE t; RENAME TABLE t TO child, fresh TO t');
    const script = await rowlock.captures.sql();
    await client.query(script.replace(/^DELIMITER.*$/gm, '').replaceAll('$$', ';'));
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });

  test('triggers of an earlier definition are found, and dropped after the new ones are made', async () => {
    await captured(TABLE, { on: { insert: true, delete: true } });
    const capture = defineCapture({
      name: 'c0',
      table: 't',
      id: ['id'],
      kind: 'other',
      on: { insert: true },
    });
    const next = createRowlock({ driver, captures: [capture] });
    const [{ problems = [] } = {}] = await next.captures.check();
    expect(problems.map(({ code }) => code)).toEqual(['changed', 'unwelcome', 'changed']);
    await next.captures.apply();
    await client.query('INSERT INTO t VALUES (1, NULL); DELETE FROM t');
    expect(await rows('SELECT kind FROM rowlock_job')).toEqual([{ kind: 'other' }]);
  });

  test('a table is waited for no longer than the lock may take', async () => {
    const rowlock = await captured(TABLE, {}, false);
    const other = await connected();
    onTestFinished(() => other.end());
    await other.query('START TRANSACTION; INSERT INTO t VALUES (1, NULL)');
    await expect(rowlock.captures.apply({ lockTimeout: '50ms' })).rejects.toMatchObject({
      code: 'LockTimeout',
    });
    await other.query('COMMIT');
    await rowlock.captures.apply();
  });
});

test('who waits for a table that another session has locked has LockTimeout within seconds, and goes on behind it', async () => {
  const rowlock = await captured(TABLE);
  const changed = defineCapture({ name: 'c0', table: 't', id: ['id'], kind: 'k', payload: ['note'] });
  const { captures } = createRowlock({ driver, captures: [changed] });
  const other = await connected();
  onTestFinished(() => other.end());
  await other.query('LOCK TABLES t WRITE, rowlock_job WRITE');
  const timeout = { status: 'rejected', reason: { code: 'LockTimeout', isRetryable: true } };
  const waits = [captures.apply(), driver.jobs.enqueue([newJob()]), rowlock.captures.backfill('c0')];
  expect(await Promise.allSettled(waits)).toMatchObject(waits.map(() => timeout));
  await other.query('UNLOCK TABLES');
  expect(await captures.apply()).toMatchObject([{ changed: true }]);
  expect(await driver.jobs.enqueue([newJob()])).toHaveLength(1);
});

describe('a backfill comes to each row once, in the order of ids of', () => {
  const TYPES: readonly (readonly [type: string, ...values: string[]])[] = [
    ['BIGINT', '-9223372036854775808', '-1', '9007199254740993', '9223372036854775807'],
    ['BIGINT UNSIGNED', '0', '9223372036854775807', '9223372036854775809', '18446744073709551615'],
    ['INT(5) ZEROFILL', '1', '20', '4294967295'],
    ['BIT(64)', "b'0'", '9007199254740993', '18446744073709551614', '18446744073709551615'],
    ['YEAR', '0', '1990', '2026'],
    ['DECIMAL(38, 0)', '-1', `${'9'.repeat(37)}7`, `${'9'.repeat(38)}`],
    ['DECIMAL(65, 30)', `${'9'.repeat(35)}.${'9'.repeat(29)}7`, `${'9'.repeat(35)}.${'9'.repeat(30)}`],
    ['DOUBLE', '-1e308', '0.1 + 2e-1', '0.3e0', '9007199254740993', '1e308'],
    ['DOUBLE(30, 2)', '0.01', '0.1', '123456789012345678.25'],
    ['CHAR(5) COLLATE utf8mb4_bin', "''", "'\\t'", "'a '", "'B'", "'🚣'"],
    ['VARCHAR(9) COLLATE utf8mb4_general_ci', "''", "'a\\t'", "'A'", "'é2'", "'z'", "'_'", "'\\\\'"],
    ['VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_german2_ci', "'ä'", "'Z'", "'ß'", "'b'"],
    ['VARCHAR(9) CHARACTER SET ucs2', "'ä'", "'Z'", "'b'"],
    ['VARCHAR(9) CHARACTER SET cp932', "X'81CA'", "X'EEF9'", "X'FA54'", "X'835C'"],
    ['BINARY(3)', "''", "'a'", "X'FFFFFF'", "X'00FF'"],
    ['VARBINARY(9)', "''", "X'00'", "X'0000'", "X'FF'", "'a'", "'A'"],
    ['DATE', "'0000-00-00'", "'2026-00-00'", "'2026-01-01'", "'9999-12-31'"],
    ['TIME(6)', "'-838:59:59'", "'-00:00:01.5'", "'00:00:00.000001'", "'838:59:59'"],
    ['TIME', "'23:59:59'", "'24:00:00'", "'100:00:00'"],
    ['DATETIME(6)', "'0000-00-00'", "'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'"],
    [
      'TIMESTAMP(6)',
      "'0000-00-00'",
      "'1970-01-01 00:00:01'",
      "'2026-10-25 00:30:00'",
      "'2026-10-25 01:30:00'",
    ],
    ["ENUM('z', 'b', 'A')", "'z'", "'b'", "'A'"],
    ["SET('z', 'b', 'A')", "''", "'z'", "'z,b'", "'A'"],
    ...(product === 'mysql' ? [] : [['INET6', "'::1'", "'::ffff:10.0.0.1'", "'ffff::1'"] as const]),
  ];

  /** The rows that a backfill by one row in each step has come to. It is ended when it has read too many. */
  async function filled(rowlock: Rowlock<MysqlTransaction>, most: number): Promise<readonly unknown[]> {
    const ends = new AbortController();
    const onProgress = ({ rows }: { rows: number }): void => {
      if (rows > most) ends.abort(new Error('The backfill reads rows again.'));
    };
    await rowlock.captures.backfill('c0', { batch: 1, onProgress, signal: ends.signal });
    return (await payloads()).map((payload) => Object(payload).id);
  }

  const ODD = "SET sql_mode = 'STRICT_ALL_TABLES', @rowlock_capture = 'off'";
  const USUAL = 'SET sql_mode = DEFAULT, @rowlock_capture = NULL';

  test.each(TYPES)('%s', async (type, ...values) => {
    const rowlock = await captured(`CREATE TABLE t (id ${type} NOT NULL, part INT, PRIMARY KEY (id, part))`, {
      id: ['id', 'part'],
    });
    const inserted = values.flatMap((value) => [`(${value}, 1)`, `(${value}, 2)`]);
    await client.query(`${ODD}; INSERT INTO t VALUES ${inserted.join(', ')}; ${USUAL}`);
    const ids = await filled(rowlock, inserted.length);
    expect(ids).toHaveLength(inserted.length);
    // Each job is of another row. A character set may have a sign twice, which the texts of the ids have once.
    if (!type.includes('cp932'))
      expect(new Set(ids.map((id) => JSON.stringify(id))).size).toBe(inserted.length);
  });

  test('a row whose job is refused is named by its id as it is written, and passed over', async () => {
    const rowlock = await captured(
      "CREATE TABLE t (id VARCHAR(9) PRIMARY KEY); INSERT INTO t VALUES ('a'), ('ä b'), ('c')",
      {},
      false,
    );
    await rowlock.captures.apply();
    await client.query(`CREATE TRIGGER refuse BEFORE INSERT ON rowlock_job FOR EACH ROW
      IF NEW.\`key\` = 'ä b' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not welcome'; END IF`);
    onTestFinished(async () => void (await client.query('DROP TRIGGER refuse')));
    await expect(rowlock.captures.backfill('c0')).rejects.toThrow('the row {"id":"ä b"}');
    expect((await changes()).map((each) => each.split(' ')[0])).toEqual(['backfill', 'backfill']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'lost' }] }]);
  });

  test('an ENUM, and all anew behind a change of its order', async () => {
    const rowlock = await captured("CREATE TABLE t (id ENUM('a', 'b', 'c') PRIMARY KEY)");
    await client.query(`${ODD}; INSERT INTO t VALUES ('a'), ('b'), ('c'); ${USUAL}`);
    const ends = new AbortController();
    const options = { batch: 1, signal: ends.signal, onProgress: () => ends.abort(new Error('enough')) };
    await expect(rowlock.captures.backfill('c0', options)).rejects.toThrow('enough');
    await client.query("ALTER TABLE t MODIFY id ENUM('c', 'b', 'a')");
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual(['a', 'c', 'b', 'a'].map((id) => `backfill ${id}`));
  });

  test('a place that the server reads back as another one ends the backfill', async () => {
    await captured('CREATE TABLE t (id INT PRIMARY KEY)');
    await client.query('INSERT INTO t VALUES (1), (2), (3)');
    const inexact: MysqlTransaction = {
      query: (sql, values) => client.query(sql, values),
      execute: (sql, values) => client.execute(sql.replaceAll('CAST(? AS DECIMAL(20))', '(? - 1)'), values),
    };
    const here = context(new URL(url).pathname.slice(1), 20_000);
    const { plan } = defineCapture({ name: 'c0', table: 't', id: ['id'], kind: 'k' });
    const step = (first: boolean) => backfill(inexact, here, plan, { batch: 2, priority: 0, first });
    expect(await step(true)).toMatchObject({ rows: 2, done: false });
    await expect(step(false)).rejects.toThrow('does not get beyond {"id":"2"}');
  });

  test('no FLOAT, whose text is not exact: it is refused', async () => {
    const rowlock = await captured('CREATE TABLE t (id FLOAT PRIMARY KEY)', {}, false);
    await expect(rowlock.captures.apply()).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('has the type float in "id"'),
    });
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'table' }] }]);
  });
});

describe('a trigger that fails', () => {
  /** From now on no job of the kind is accepted. */
  async function refuse(): Promise<void> {
    const [check] = [product === 'mysql' ? 'CHECK' : 'CONSTRAINT'];
    await client.query("ALTER TABLE rowlock_job ADD CONSTRAINT refused CHECK (kind <> 'k')");
    onTestFinished(async () => void (await client.query(`ALTER TABLE rowlock_job DROP ${check} refused`)));
  }

  test('with fail, the writer fails with it', async () => {
    await captured(TABLE);
    await refuse();
    await expect(client.query('INSERT INTO t VALUES (1, NULL)')).rejects.toMatchObject({
      errno: product === 'mysql' ? 3819 : 4025,
    });
    expect(await rows('SELECT * FROM t')).toEqual([]);
  });

  test('with note, the change stays and the loss is told, until a backfill makes up for it', async () => {
    const rowlock = await captured(TABLE, { onError: 'note' });
    await client.query("ALTER TABLE rowlock_job ADD CONSTRAINT refused CHECK (kind <> 'k')");
    await client.query('INSERT INTO t VALUES (1, NULL)');
    await client.query(
      `ALTER TABLE rowlock_job DROP ${product === 'mysql' ? 'CHECK' : 'CONSTRAINT'} refused`,
    );
    await client.query('INSERT INTO t VALUES (2, NULL)');
    expect(await changes()).toEqual(['insert 2']);
    const [{ problems = [] } = {}] = await rowlock.captures.check();
    expect(problems).toEqual([{ code: 'lost', message: expect.stringMatching(/^1 changes .*refused/) }]);
    await rowlock.captures.backfill('c0');
    expect(await changes()).toEqual(['insert 2', 'backfill 1', 'backfill 2']);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  });

  test.each(['fail', 'note'] as const)('a column that is dropped, with %s', async (onError) => {
    const rowlock = await captured(TABLE, { payload: ['note'], onError });
    await client.query('ALTER TABLE t DROP COLUMN note');
    const writes = client.query('INSERT INTO t VALUES (1)');
    if (onError === 'fail') await expect(writes).rejects.toMatchObject({ errno: 1054 });
    else await writes;
    expect(await changes()).toEqual([]);
    const lost = await rows('SELECT error FROM rowlock_capture_loss');
    expect(lost).toEqual(onError === 'fail' ? [] : [{ error: expect.stringContaining('note') }]);
    expect(await rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'table' }] }]);
    const capture = defineCapture({ name: 'c0', table: 't', id: ['id'], kind: 'k' });
    await createRowlock({ driver, captures: [capture] }).captures.apply();
    await client.query('INSERT INTO t VALUES (2)');
    expect(await changes()).toEqual(['insert 2']);
  });

  test('a deadlock reaches the writer, also with note', async () => {
    await captured(`${TABLE}; CREATE TABLE child (id BIGINT PRIMARY KEY)`, { onError: 'note' });
    await client.query(
      'CREATE TRIGGER z_last AFTER UPDATE ON t FOR EACH ROW DELETE FROM child WHERE id = NEW.id % 2',
    );
    await client.query('INSERT INTO t VALUES (1, NULL), (2, NULL); INSERT INTO child VALUES (0), (1)');
    const [a, b] = [await connected(), await connected()];
    onTestFinished(async () => {
      await a.end();
      await b.end();
    });
    await a.query("START TRANSACTION; UPDATE t SET note = 'a' WHERE id = 1");
    await b.query("START TRANSACTION; UPDATE t SET note = 'b' WHERE id = 2");
    const both = await Promise.allSettled([
      a.query("UPDATE t SET note = 'a' WHERE id = 2; COMMIT"),
      b.query("UPDATE t SET note = 'b' WHERE id = 1; COMMIT"),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rows('SELECT * FROM rowlock_capture_loss')).toEqual([]);
  });
});

test('the triggers of an account that is gone are found, and made anew', async () => {
  const database = new URL(url).pathname.slice(1);
  const owner = `gone_${database.slice(-8)}`;
  const rowlock = await captured(TABLE);
  await client.query(
    `CREATE USER '${owner}' IDENTIFIED BY 'change-me'; GRANT ALL ON ${database}.* TO '${owner}'`,
  );
  for (const { TRIGGER_NAME: name, EVENT_MANIPULATION: event, ACTION_STATEMENT: body } of await rows(
    `SELECT * FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = '${database}' AND EVENT_OBJECT_TABLE = 't'`,
  ))
    await client.query(
      `DROP TRIGGER ${name}; CREATE DEFINER = '${owner}'@'%' TRIGGER ${name} AFTER ${event} ON t FOR EACH ROW ${body}`,
    );
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  await client.query(`DROP USER '${owner}'`);
  await expect(client.query('INSERT INTO t VALUES (1, NULL)')).rejects.toMatchObject({ errno: 1449 });
  const [told] = await rowlock.captures.check();
  expect(told?.problems.map(({ message }) => message)).toEqual(
    Array(3).fill(expect.stringContaining(`rights of ${owner}@%, and there is no such account`)),
  );
  await rowlock.captures.apply();
  await client.query('INSERT INTO t VALUES (1, NULL)');
  expect(await changes()).toEqual(['insert 1']);
});

test('a session that has locked the table by LOCK TABLES writes to it if it has locked those of Rowlock too', async () => {
  await captured(TABLE);
  const writer = await connected();
  onTestFinished(() => writer.end());
  await writer.query('LOCK TABLES t WRITE, rowlock_job WRITE, rowlock_bell WRITE');
  await writer.query('INSERT INTO t VALUES (1, NULL); UNLOCK TABLES');
  expect(await changes()).toEqual(['insert 1']);
});

test('the least rights: for who applies, and none for who writes', async () => {
  const database = new URL(url).pathname.slice(1);
  const [owner, writer] = [`capturer_${database.slice(-8)}`, `writer_${database.slice(-8)}`];
  await captured(TABLE, {}, false);
  await client.query(
    `CREATE USER '${owner}' IDENTIFIED BY 'change-me'; CREATE USER '${writer}' IDENTIFIED BY 'change-me';
     GRANT SELECT, INSERT, UPDATE, DELETE ON ${database}.t TO '${writer}';
     GRANT SELECT, INSERT, UPDATE ON ${database}.rowlock_job TO '${owner}';
     GRANT INSERT ON ${database}.rowlock_capture_loss TO '${owner}';
     GRANT TRIGGER, SELECT ON ${database}.t TO '${owner}'`,
  );
  const own = new URL(url);
  own.username = owner;
  own.password = 'change-me';
  const ownDriver = mysql({ uri: own.href });
  const capture = defineCapture({ name: 'c0', table: 't', id: ['id'], kind: 'k', onError: 'note' });
  const rowlock = createRowlock({ driver: ownDriver, captures: [capture] });
  const [before] = await rows('SELECT @@GLOBAL.log_bin_trust_function_creators AS trusts');
  onTestFinished(async () => {
    await client.query(`SET GLOBAL log_bin_trust_function_creators = ${before?.trusts}`);
    await ownDriver.close();
    await client.query('DROP TABLE t');
    await client.query(`DROP USER '${owner}'; DROP USER '${writer}'`);
  });
  const [server] = await rows('SELECT @@log_bin AS logs');
  await client.query('SET GLOBAL log_bin_trust_function_creators = 0');
  if (Number(server?.logs) === 1) {
    await expect(rowlock.captures.apply()).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('let a DBA run the script of captures.sql()'),
    });
    expect(await rowlock.captures.sql()).toContain('log_bin_trust_function_creators = 1');
    await client.query('SET GLOBAL log_bin_trust_function_creators = 1');
  }
  // Else each writer would fail.
  await expect(rowlock.captures.apply()).rejects.toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining('rowlock_bell'),
  });
  expect(
    await rows(
      "SELECT * FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE = 't'",
    ),
  ).toEqual([]);
  await client.query(`GRANT INSERT ON ${database}.rowlock_bell TO '${owner}'`);
  await rowlock.captures.apply();
  await expect(rowlock.captures.check()).rejects.toMatchObject({ code: 'PermissionDenied' });
  await client.query(
    `GRANT SELECT, DELETE ON ${database}.rowlock_capture_loss TO '${owner}';
     GRANT SELECT, INSERT, UPDATE ON ${database}.rowlock_capture_backfill TO '${owner}'`,
  );
  expect(await rowlock.captures.check()).toMatchObject([{ problems: [] }]);
  expect(await rowlock.captures.backfill('c0')).toEqual({ rows: 0 });
  await client.query(`REVOKE INSERT ON ${database}.rowlock_bell FROM '${owner}'`);
  expect(await rowlock.captures.check()).toMatchObject([
    { problems: [{ code: 'table', message: expect.stringMatching(/which lacks one: .*rowlock_bell/) }] },
  ]);
  await client.query(`GRANT INSERT ON ${database}.rowlock_bell TO '${owner}'`);
  // The catalog does not show the triggers to who may not change them, and so they are not told as missing.
  const looking = new URL(url);
  looking.username = writer;
  looking.password = 'change-me';
  const writerDriver = mysql({ uri: looking.href });
  onTestFinished(() => writerDriver.close());
  const ofWriter = createRowlock({ driver: writerDriver, captures: [capture] });
  await expect(ofWriter.captures.check()).rejects.toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining('may not see the triggers of'),
  });
  const hidden = defineCapture({ name: 'hidden', table: 'child', id: ['id'], kind: 'k' });
  await expect(
    createRowlock({ driver: writerDriver, captures: [hidden] }).captures.check(),
  ).rejects.toMatchObject({ code: 'PermissionDenied' });
  const writing = await connected(writer);
  onTestFinished(() => writing.end());
  await writing.query("INSERT INTO t VALUES (1, NULL); UPDATE t SET note = 'a'; DELETE FROM t");
  expect(await changes()).toEqual(['insert 1', 'update 1', 'delete 1']);
  await expect(writing.query('SELECT * FROM rowlock_job')).rejects.toMatchObject({ errno: 1142 });
});
