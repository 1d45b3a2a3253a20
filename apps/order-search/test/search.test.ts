import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MysqlOrderStore } from '../src/data/mysql-order-store.js';
import { PostgresOrderStore } from '../src/data/postgres-order-store.js';
import { createTables } from '../src/legacy/create-tables.js';
import { fill } from '../src/legacy/fill.js';
import { mysqlLegacyDatabase } from '../src/legacy/mysql-legacy-database.js';
import { postgresLegacyDatabase } from '../src/legacy/postgres-legacy-database.js';
import { indexOrders } from '../src/search/index-orders.js';
import { termsOf } from '../src/search/query.js';

const ORDERS = 300;
const ALL = Array.from({ length: ORDERS }, (_, index) => index + 1);

async function onPostgres() {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const pool = new pg.Pool({ connectionString: url });
  const store = new PostgresOrderStore(url, () => {});
  const index = async (orders: readonly number[]) => {
    const tx = await pool.connect();
    await tx.query('BEGIN');
    await indexOrders(store, orders, tx);
    await tx.query('COMMIT');
    tx.release();
  };
  return { store, index, legacy: postgresLegacyDatabase(url, 2), drop, endPool: () => pool.end() };
}

async function onMysql() {
  const { url, drop } = await freshMysqlDatabase(inject('mysqlUrl'));
  const pool = createPool(url);
  const store = new MysqlOrderStore(url);
  const index = async (orders: readonly number[]) => {
    const tx = await pool.getConnection();
    await tx.beginTransaction();
    await indexOrders(store, orders, tx);
    await tx.commit();
    tx.release();
  };
  return { store, index, legacy: mysqlLegacyDatabase(url, 2), drop, endPool: () => pool.end() };
}

describe.each([
  ['Postgres', onPostgres],
  ['MySQL', onMysql],
] as const)('the search on %s', (_name, open) => {
  let parts: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    parts = await open();
    await createTables(parts.legacy);
    await parts.store.migrate();
    await fill(parts.legacy, ORDERS);
    await parts.index(ALL);
  });

  afterAll(async () => {
    await parts.legacy.close();
    await parts.store.close();
    await parts.endPool();
    await parts.drop();
  });

  const find = async (typed: string) => {
    const found = await parts.store.search(termsOf(typed), 20);
    return found.map(({ orderNo }) => orderNo);
  };

  const write = async (sql: string, values: (string | number)[], orders: readonly number[]) => {
    await parts.legacy.run(sql, values);
    await parts.index(orders);
  };

  test('every order is in the index', async () => {
    expect(await parts.store.size()).toBe(ORDERS);
  });

  test('an order is found by words of several tables, as far as they are typed', async () => {
    await write('UPDATE ordcmt SET txt = ? WHERE ord_no = 7', ['x'], [7]);
    await write('DELETE FROM ordcmt WHERE ord_no = 7', [], [7]);
    await write(
      'INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (7, 1, ?)',
      ['The Zebrafish waits at Quay'],
      [7],
    );
    await write(
      'INSERT INTO wtynot (ord_no, seq_no, clerk, txt) VALUES (7, 9, ?, ?)',
      ['Ada', 'Ümläut on the hull'],
      [7],
    );
    expect(await find('zebraf')).toEqual([7]);
    expect(await find('umlaut zebrafish')).toEqual([7]);
    expect(await find('zebrafish elsewhere-xyzzy')).toEqual([]);
  });

  test('a number is found however it is written, by its beginning and by its end', async () => {
    await write('UPDATE ordcon SET phone = ? WHERE ord_no = 9', ['+49 (171) 998-77665'], [9]);
    for (const typed of ['+49 171 99877665', '0171 998 77665', '99877665', '491719987']) {
      expect(await find(typed), typed).toEqual([9]);
    }
    await write('UPDATE ordser SET ser_no = ? WHERE ord_no = 11', ['QX-77/8812'], [11]);
    await write('INSERT INTO ordser (ord_no, lin_no, ser_no) VALUES (11, 4, ?)', ['QX-77/8813'], [11]);
    for (const typed of ['QX-77/8813', 'qx778813', 'QX 77 8813'])
      expect(await find(typed), typed).toEqual([11]);
  });

  test('an order that is gone is not found', async () => {
    await write('INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (13, 5, ?)', ['okapi'], [13]);
    expect(await find('okapi')).toEqual([13]);
    await write('DELETE FROM ordhdr WHERE ord_no = 13', [], [13]);
    expect(await find('okapi')).toEqual([]);
  });

  test('an order is found also while many are indexed anew', async () => {
    await write('INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (15, 5, ?)', ['quokka'], [15]);
    let isOver = false;
    const found: number[][] = [];
    const finder = async () => {
      while (!isOver) found.push(await find('quokka'));
    };
    const finding = [finder(), finder(), finder()];
    for (let n = 1; n <= 5; n += 1) await write('UPDATE ordhdr SET cus_ref = ?', [`anew ${n}`], ALL);
    isOver = true;
    await Promise.all(finding);
    expect(found.filter((orders) => orders[0] !== 15)).toEqual([]);
  });

  test('what finds nothing, or says nothing, has no results', async () => {
    for (const typed of ['', ' - ', 'xyzzy', '🙂', "' & ! ( :*", '+-><()~*"@'])
      expect(await find(typed), typed).toEqual([]);
  });

  test('an order is shown as it is in the 17 tables', async () => {
    await write('UPDATE ordcon SET phone = ? WHERE ord_no = 17', ['+49 30 1234'], [17]);
    const tables = await parts.store.order(17);
    expect(tables.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['ordhdr', 'cusmst', 'orditm', 'itmmst', 'mkrmst']),
    );
    expect(tables.find(({ table }) => table === 'ordcon')?.rows).toMatchObject([
      { ord_no: '17', phone: '+49 30 1234' },
    ]);
    expect(tables.find(({ table }) => table === 'ordhdr')?.rows).toMatchObject([
      { ord_no: '17', ord_dat: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ]);
  });
});
