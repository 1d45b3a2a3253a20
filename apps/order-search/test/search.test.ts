import { eventually } from '@rowlock/app-shared/testing';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MysqlOrderStore } from '../src/data/mysql-order-store.js';
import type { Page } from '../src/data/order-store.js';
import { PostgresOrderStore } from '../src/data/postgres-order-store.js';
import { createTables } from '../src/legacy/create-tables.js';
import { fill } from '../src/legacy/fill.js';
import { mysqlLegacyDatabase } from '../src/legacy/mysql-legacy-database.js';
import { postgresLegacyDatabase } from '../src/legacy/postgres-legacy-database.js';
import { find } from '../src/search/find.js';
import { indexOrders } from '../src/search/index-orders.js';
import { holdSearch } from './support/held-search.js';

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
  return {
    ...{ url, store, index, drop, endPool: () => pool.end() },
    find: (typed: string, page: Page, signal?: AbortSignal) => find(store, typed, page, signal),
    legacy: postgresLegacyDatabase(url, 2),
    forget: "UPDATE orders.search SET words = array_to_tsvector(ARRAY['bygone']) WHERE ord_no = 9",
  };
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
  return {
    ...{ url, store, index, drop, endPool: () => pool.end() },
    find: (typed: string, page: Page, signal?: AbortSignal) => find(store, typed, page, signal),
    legacy: mysqlLegacyDatabase(url, 2),
    forget: "UPDATE order_search SET words = 'bygone' WHERE ord_no = 9",
  };
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
    const { orders } = await parts.find(typed, { limit: 20 });
    return orders.map(({ orderNo }) => orderNo);
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

  test('an order whose words were written by other rules has those of now after the next run', async () => {
    await write(
      'INSERT INTO wtynot (ord_no, seq_no, clerk, txt) VALUES (9, 9, ?, ?)',
      ['Ada', 'Yggdrasil'],
      [9],
    );
    await parts.legacy.run(parts.forget);
    expect([await find('yggdrasil'), await find('bygone')]).toEqual([[], [9]]);
    await parts.index([9]);
    expect([await find('yggdrasil'), await find('bygone')]).toEqual([[9], []]);
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

  test('a telephone number is found by any part of it, and others by their parts too', async () => {
    await write('UPDATE ordcon SET phone = ? WHERE ord_no = 19', ['+49 (171) 345-98124'], [19]);
    for (const typed of ['7134598', '171 345 98', '(171) 345', '34598'])
      expect(await find(typed), typed).toContain(19);
    await write('INSERT INTO ordser (ord_no, lin_no, ser_no) VALUES (21, 4, ?)', ['KL-20ZW/5538'], [21]);
    for (const typed of ['kl20zw55', '20zw', '5538', '20ZW/5538', 'zw5538'])
      expect(await find(typed), typed).toContain(21);
  });

  test('orders are found by their numbers, each by its own, and come first', async () => {
    for (const typed of ['23 5', '23, 5', 'orders #23 and #5', 'order 23; order 5; order 999999'])
      expect((await find(typed)).slice(0, 2), typed).toEqual([23, 5]);
    expect((await find('23')).slice(0, 1)).toEqual([23]);
    expect(await find('23 zebra-xyzzy')).toEqual([]);
  });

  test('plain letters find what Unicode does not decompose, and the other way round', async () => {
    const said = 'Łódź, Größe, Sørensen, Œuvre, Ævar, Guðrún, Þór, Iğdır, Đakovo, Ħamrun, Hawaiʻi';
    await write('INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (25, 5, ?)', [said], [25]);
    const plain = 'Lodz, Grosse, Sorensen, Oeuvre, Aevar, Gudrun, Thor, Igdir, Dakovo, Hamrun, Hawaii';
    await write('INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (27, 5, ?)', [plain], [27]);
    for (const typed of [...said.split(', '), ...plain.split(', '), 'LODZ GRÖẞE', 'iğdir']) {
      expect(await find(typed), typed).toEqual(expect.arrayContaining([25, 27]));
      expect(await find(`${typed} lod`), typed).toEqual([27, 25]);
    }
  });

  test('where nothing has the words, one typing error in each is tolerated, and the answer says so', async () => {
    await write(
      'INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (29, 5, ?)',
      ['An aardwolf, a Quagga'],
      [29],
    );
    await write('UPDATE ordcon SET phone = ? WHERE ord_no = 31', ['+49 (160) 271-82818'], [31]);
    for (const typed of ['ardwolf', 'aardwollf', 'aardwplf', 'aadrwolf', 'aardwlf quagga', 'quaga aardwof']) {
      const { orders, near } = await parts.find(typed, { limit: 20 });
      expect(
        orders.map(({ orderNo }) => orderNo),
        typed,
      ).toEqual([29]);
      expect(near.join(), typed).toMatch(/aardwolf/);
    }
    expect(await parts.find('0160 27182717', { limit: 20 })).toMatchObject({ orders: [], near: [] });
    expect(await parts.find('0160 27182819', { limit: 20 })).toMatchObject({
      orders: [{ orderNo: 31 }],
      near: ['16027182818'],
    });
    // What there is exactly is found alone.
    expect(await parts.find('aardwolf', { limit: 20 })).toMatchObject({
      orders: [{ orderNo: 29 }],
      near: [],
    });
    for (const typed of ['aardwxyf', 'gnu']) expect(await find(typed), typed).not.toContain(29);
  });

  test('no query is too much', async () => {
    const words = Array.from(
      { length: 12 },
      (_, n) => `${'qwertzuiopasdfg'.slice(n % 5)}${'bcdfghjklmnpq'[n]}`,
    );
    const numbers = Array.from({ length: 6 }, (_, n) => `zxcvbnm${'bcdfgh'[n]} b${n}123 99${n}4`);
    for (const typed of [words.join(' '), numbers.join(' '), 'abcdefghij'.repeat(20), '9'.repeat(200)])
      expect(await find(typed), typed).toEqual([]);
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

  test('a search that is given up ends in the server too', async () => {
    const held = await holdSearch(parts.url);
    const [given, searches] = [new AbortController(), 8];
    try {
      // More than there are connections.
      const searching = Array.from({ length: searches }, () => parts.find('a', { limit: 20 }, given.signal));
      const ends = Promise.allSettled(searching);
      await eventually(async () => (await held.waiting()) === 5);
      given.abort();
      expect((await ends).map(({ status }) => status)).toEqual(Array(searches).fill('rejected'));
      expect(await held.waiting()).toBe(0);
    } finally {
      await held.free();
    }
    expect((await find('a')).length).toBe(20);
  });

  test('page by page all orders are found, each once and the newest first', async () => {
    const newer = Array.from({ length: 1_100 }, (_, index) => 20_001 + index);
    await parts.legacy.run(
      `INSERT INTO ordhdr (ord_no, cus_no, ord_dat, status, branch) VALUES ${newer.map((no) => `(${no}, 1, '2026-01-01', 'open', 'Tromsø')`).join()}`,
    );
    const marked = [...ALL.filter((no) => no % 6 === 0), 20_007, 20_950, 21_100];
    for (const no of marked)
      await parts.legacy.run("INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (?, 8, 'A wombat')", [no]);
    await parts.index([...ALL, ...newer]);
    const ofWombats = 'SELECT ord_no FROM ordcmt WHERE txt = ? ORDER BY ord_no DESC';
    const wombats = await parts.legacy.numbers(ofWombats, ['A wombat']);
    // InnoDB's index misses what it has in its cache, while the server writes that to the disk.
    await expect.poll(() => pages('wombat')).toEqual(wombats);
    expect(await pages('wommbat')).toEqual(await pages('wombat'));
    const ofOpen = 'SELECT ord_no FROM ordhdr WHERE status = ? ORDER BY ord_no DESC';
    expect(await pages('2026-01-01 open tromso')).toEqual(newer.toReversed());
    const open = await parts.legacy.numbers(ofOpen, ['open']);
    expect(await pages('open')).toEqual(expect.arrayContaining([...open]));
    // An address may lead behind all pages: that is no typing error.
    expect(await parts.find('wombat', { before: 1, limit: 20 })).toMatchObject({ orders: [], near: [] });
    // The orders that were typed are on the first page alone.
    expect((await pages('20007 20950')).filter((no) => no === 20_007)).toEqual([20_007]);
  });

  async function pages(typed: string): Promise<readonly number[]> {
    const found: number[] = [];
    let before: number | undefined;
    do {
      const page = await parts.find(typed, { before, limit: 20 });
      found.push(...page.orders.map(({ orderNo }) => orderNo));
      before = page.next;
    } while (before !== undefined);
    return found;
  }
});
