import { append, increment, merge, type Operation, remove, set } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import postgresJs from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type JsonTarget, updateJson } from '../../src/postgres.js';

let pool: pg.Pool;
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  ({ drop, url } = fresh);
  pool = new pg.Pool({ connectionString: fresh.url, max: 50 });
});

afterAll(async () => {
  await pool.end();
  await drop();
});

beforeEach(async () => {
  await pool.query(`
    DROP TABLE IF EXISTS account;
    CREATE TABLE account (id bigint PRIMARY KEY, name text, active boolean, stats jsonb);
    INSERT INTO account VALUES (1, 'Ada', true, '{"n": 1}'), (2, 'Ben', NULL, '{"n": 2}'), (3, NULL, NULL, NULL)`);
});

async function stats(): Promise<readonly unknown[]> {
  return (await pool.query('SELECT stats FROM account ORDER BY id')).rows.map((row) => row.stats);
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

test.each([
  { table: 'absent', column: 'stats', where: { id: 1 } },
  { schema: 'absent', table: 'account', column: 'stats', where: { id: 1 } },
  { table: 'account', column: 'absent', where: { id: 1 } },
  { table: 'account', column: 'stats', where: { absent: 1 } },
])('what is not there of your own tables is not told as of Rowlock: %j', async (column) => {
  await expect(updateJson(pool, column, [increment('n')])).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.not.stringContaining('migrate'),
  });
});

test('names are quoted, and values are no part of the statement', async () => {
  await pool.query(`
    DROP SCHEMA IF EXISTS "my ""schema" CASCADE;
    CREATE SCHEMA "my ""schema";
    CREATE TABLE "my ""schema"."ta'ble" ("i.d" integer, "js""on" json, its text);
    INSERT INTO "my ""schema"."ta'ble" VALUES (1, '{}', '$1')`);
  const place = { schema: 'my "schema', table: "ta'ble", column: 'js"on', where: { 'i.d': 1, its: '$1' } };
  const name = `'; DROP TABLE account; -- $1 "\\`;
  expect(await updateJson(pool, place, [set([name], name), merge([], { [name + 1]: { [name]: 1 } })])).toBe(
    1,
  );
  const { rows } = await pool.query(`SELECT "js""on" AS json FROM "my ""schema"."ta'ble"`);
  expect(rows).toEqual([{ json: { [name]: name, [name + 1]: { [name]: 1 } } }]);
});

test('one row that does not fit keeps all as they are', async () => {
  await pool.query(`UPDATE account SET stats = '{"n": "two"}' WHERE id = 2`);
  const updating = updateJson(pool, { ...STATS, where: { active: null } }, [
    set('seen', true),
    increment('n'),
  ]);
  await expect(updating).rejects.toMatchObject({
    code: 'ROWLOCK_UPDATE_REFUSED',
    operation: 1,
    reason: 'not-a-number',
  });
  expect(await stats()).toEqual([{ n: 1 }, { n: 'two' }, null]);
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

test('it is part of a transaction, which a refusal ends', async () => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    expect(await updateJson(client, { ...STATS, where: { id: 1 } }, [increment('n')])).toBe(1);
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await expect(
      updateJson(client, { ...STATS, where: { id: 1 } }, [append('n', [1])]),
    ).rejects.toMatchObject({
      reason: 'not-an-array',
    });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  expect(await stats()).toEqual([{ n: 1 }, { n: 2 }, null]);
});

test('clients of other makes answer with rows alone, and others are refused', async () => {
  const place = { ...STATS, where: { id: 1 } };
  const rows: JsonTarget = { query: async (text, values) => (await pool.query(text, values)).rows };
  expect(await updateJson(rows, place, [increment('n')])).toBe(1);
  const other: JsonTarget = { query: async () => 'done' };
  await expect(updateJson(other, place, [increment('n')])).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('postgres.js finds the rows that are meant, whatever the type of the column', async () => {
  const sql = postgresJs(url, { max: 1, onnotice: () => {} });
  const on: JsonTarget = { query: (text, values) => sql.unsafe(text, Object(values)) };
  try {
    await pool.query('UPDATE account SET active = (id = 1)');
    for (const where of [{ active: true }, { id: 1 }, { id: 1n, name: 'Ada' }])
      expect(await updateJson(on, { ...STATS, where }, [increment('n')])).toBe(1);
    expect(await updateJson(on, { ...STATS, where: { active: false } }, [increment('m')])).toBe(2);
  } finally {
    await sql.end();
  }
  expect(await stats()).toEqual([{ n: 4 }, { m: 1, n: 2 }, { m: 1 }]);
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
  const [, , json] = await stats();
  const { n, log, by } = Object(json);
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
