import { append, increment, type Json, merge, type Operation, remove, set } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool, type Pool } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { product, serverUrl } from '../../../driver-mysql/test/server.js';
import { updateJson } from '../../src/mysql.js';

let pool: Pool;
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
  pool = createPool({ uri: url, connectionLimit: 50 });
});

afterAll(async () => {
  await pool.end();
  await drop();
});

beforeEach(async () => {
  await pool.query('DROP TABLE IF EXISTS account');
  await pool.query(
    'CREATE TABLE account (id BIGINT PRIMARY KEY, name VARCHAR(99), active BOOLEAN, stats JSON)',
  );
  await pool.query(
    `INSERT INTO account VALUES (1, 'Ada', TRUE, '{"n": 1}'), (2, 'Ben', NULL, '{"n": 2}'), (3, NULL, NULL, NULL)`,
  );
});

async function stats(): Promise<readonly Json[]> {
  const [rows] = await pool.query('SELECT CAST(stats AS CHAR) AS stats FROM account ORDER BY id');
  return Object(rows).map(({ stats }: { stats: string | null }) => JSON.parse(stats ?? 'null'));
}

const STATS = { table: 'account', column: 'stats' };

test.each<[object, number, readonly unknown[]]>([
  [{ id: 1 }, 1, [{ n: 2 }, { n: 2 }, null]],
  [{ id: 3n }, 1, [{ n: 1 }, { n: 2 }, { n: 1 }]],
  [{ id: '2', name: 'Ben' }, 1, [{ n: 1 }, { n: 3 }, null]],
  [{ active: null }, 2, [{ n: 1 }, { n: 3 }, { n: 1 }]],
  [{ active: true }, 1, [{ n: 2 }, { n: 2 }, null]],
  [{ id: 1, name: 'Ben' }, 0, [{ n: 1 }, { n: 2 }, null]],
  [{ name: "' OR true --" }, 0, [{ n: 1 }, { n: 2 }, null]],
])('where %o finds %i rows', async (where, count, after) => {
  expect(await updateJson(pool, { ...STATS, where: { ...where } }, [increment('n')])).toBe(count);
  expect(await stats()).toEqual(after);
});

test('a row that stays as it is counts, also on a connection that counts changed rows', async () => {
  const client = await createConnection({ uri: url, flags: ['-FOUND_ROWS'] });
  expect(await updateJson(client, { ...STATS, where: { active: null } }, [remove('none')])).toBe(2);
  await client.end();
});

test('an answer in another form than that of mysql2 is told in a sentence', async () => {
  const results = {
    execute: async (sql: string, values?: never) => Object((await pool.execute<never>(sql, values))[0]),
  };
  await expect(updateJson(results, { ...STATS, where: { id: 1 } }, [increment('n')])).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('may have been made'),
  });
});

test.each([
  { table: 'absent', column: 'stats', where: { id: 1 } },
  { table: 'account', column: 'absent', where: { id: 1 } },
  { table: 'account', column: 'stats', where: { absent: 1 } },
])('what is not there of your own tables is not told as of Rowlock: %j', async (column) => {
  await expect(updateJson(pool, column, [increment('n')])).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.not.stringContaining('migrate'),
  });
});

test('names are quoted, and values are no part of the statement', async () => {
  await pool.query('DROP TABLE IF EXISTS `ta``ble`');
  await pool.query('CREATE TABLE `ta``ble` (`i.d` INT, `js``on` JSON, its VARCHAR(9))');
  await pool.query("INSERT INTO `ta``ble` VALUES (1, '{}', '?')");
  const database = new URL(url).pathname.slice(1);
  const place = { database, table: 'ta`ble', column: 'js`on', where: { 'i.d': 1, its: '?' } };
  const name = `'; DROP TABLE account; -- ? "\\`;
  expect(await updateJson(pool, place, [set([name], name), merge([], { [name + 1]: { [name]: 1 } })])).toBe(
    1,
  );
  const [rows] = await pool.query('SELECT CAST(`js``on` AS CHAR) AS json FROM `ta``ble`');
  expect(JSON.parse(Object(rows)[0].json)).toEqual({ [name]: name, [name + 1]: { [name]: 1 } });
});

test('one row that does not fit keeps all as they are, and a transaction goes on', async () => {
  await pool.query(`UPDATE account SET stats = '{"n": "two"}' WHERE id = 2`);
  const client = await pool.getConnection();
  await client.query('START TRANSACTION');
  expect(await updateJson(client, { ...STATS, where: { id: 1 } }, [increment('n')])).toBe(1);
  const updating = updateJson(client, { ...STATS, where: { active: null } }, [
    set('seen', true),
    increment('n'),
  ]);
  await expect(updating).rejects.toMatchObject({
    code: 'ROWLOCK_UPDATE_REFUSED',
    operation: 1,
    reason: 'not-a-number',
  });
  await client.query('COMMIT');
  client.release();
  expect(await stats()).toEqual([{ n: 2 }, { n: 'two' }, null]);
});

test('a refusal needs no strict mode', async () => {
  const client = await createConnection(url);
  await client.query("SET SESSION sql_mode = ''");
  await expect(updateJson(client, { ...STATS, where: { id: 1 } }, [append('n', [1])])).rejects.toMatchObject({
    reason: 'not-an-array',
  });
  expect(await updateJson(client, { ...STATS, where: { id: 1 } }, [increment('n', 0.5)])).toBe(1);
  expect(await stats()).toEqual([{ n: 1.5 }, { n: 2 }, null]);
  await client.end();
});

test('a wrong name of a table or a column is an error of the driver', async () => {
  for (const place of [{ ...STATS, table: 'accounts' }, { ...STATS, column: 'no' }, STATS]) {
    const updating = updateJson(pool, { ...place, where: { ids: 1 } }, [increment('n')]);
    await expect(updating).rejects.toMatchObject({ name: 'DriverError' });
  }
  await expect(
    updateJson(pool, { ...STATS, table: '', where: { id: 1 } }, [increment('n')]),
  ).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
  });
});

/** What each writer does, from the environment: 1,000 times is the whole proof, and takes long. */
const TURNS = Number(process.env.UPDATE_TURNS ?? 5);

test('where a writer has waited for another one, nothing is lost', {
  timeout: 30_000 + TURNS * 5_000,
}, async () => {
  const place = { ...STATS, where: { id: 3 } };
  const operations = (writer: number, turn: number): readonly Operation[] => [
    increment('n'),
    append('log', [`${writer} ${turn}`]),
    merge('by', { [`writer ${writer}`]: turn }),
    remove('none'),
  ];
  await Promise.all(
    Array.from({ length: 50 }, async (_, writer) => {
      for (let turn = 1; turn <= TURNS; turn++) await updateJson(pool, place, operations(writer, turn));
    }),
  );
  const { n, log, by } = Object((await stats())[2]);
  expect([n, new Set(log).size]).toEqual([50 * TURNS, 50 * TURNS]);
  expect(Object.values(by)).toEqual(Array.from({ length: 50 }, () => TURNS));
});

test('a hundred operations at the longest paths are one statement', async () => {
  const path = Array.from({ length: 16 }, (_, place) => `name ${place}`);
  const operations = Array.from({ length: 100 }, () => increment(path));
  expect(await updateJson(pool, { ...STATS, where: { id: 3 } }, operations)).toBe(1);
  const found = path.reduce((json: unknown, name) => Object(json)[name], (await stats())[2]);
  expect(found).toBe(100);
});

/** What MariaDB does not read, and MySQL does. */
const UNREAD: readonly (readonly [
  what: string,
  before: string,
  operations: readonly Operation[],
  after: Json,
])[] = [
  ['JSON of more than 32 levels', `{"a": ${'['.repeat(40)}${']'.repeat(40)}}`, [remove('a')], {}],
  ['a value of more than 32 levels', '{}', [set('a', nested(40))], { a: nested(40) }],
  ['a value that is deep in its place', '{}', [set('b.c.d', nested(31))], { b: { c: { d: nested(31) } } }],
  ['a name that begins with a hyphen', '{"-1": 1}', [increment('-1')], { '-1': 2 }],
  ['a name with an escape that it does not need', '{"\\u00e9": 1}', [increment('é')], { é: 2 }],
  ['such a name, and a merge', '{"\\u00e9": {"n": 1}}', [merge('é', { m: 1 })], { é: { n: 1, m: 1 } }],
];

test.each(UNREAD)('%s is not taken for missing', async (_, before, operations, after) => {
  // MariaDB's type JSON has a CHECK that refuses such JSON. Rowlock's columns have it.
  if (product !== 'mysql') await pool.query('ALTER TABLE account MODIFY stats LONGTEXT');
  await pool.query('UPDATE account SET stats = ? WHERE id = 1', [before]);
  const updating = updateJson(pool, { ...STATS, where: { id: 1 } }, operations);
  if (product === 'mysql') expect(await updating).toBe(1);
  else await expect(updating).rejects.toMatchObject({ code: 'ROWLOCK_UPDATE_REFUSED', reason: 'unreadable' });
  expect((await stats())[0]).toEqual(product === 'mysql' ? after : JSON.parse(before));
});

/** JSON of so many levels, where a bare value is 1. */
function nested(levels: number): Json {
  let json: Json = 1;
  for (let level = 1; level < levels; level++) json = [json];
  return json;
}
