// Fills an old system, indexes it, and measures what an order and a search cost: `DATABASE_URL=… ORDERS=100000 node scale.mjs`.
// Times of the server's processor are those of its process here, so the database has to be on this machine, and idle.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { MysqlOrderStore } from './dist/data/mysql-order-store.js';
import { PostgresOrderStore } from './dist/data/postgres-order-store.js';
import { createTables } from './dist/legacy/create-tables.js';
import { fillStock, stockFor } from './dist/legacy/fill.js';
import { Invent } from './dist/legacy/invent.js';
import { mysqlLegacyDatabase } from './dist/legacy/mysql-legacy-database.js';
import { insertOrders } from './dist/legacy/order-rows.js';
import { postgresLegacyDatabase } from './dist/legacy/postgres-legacy-database.js';
import { find } from './dist/search/find.js';
import { indexOrders } from './dist/search/index-orders.js';

const { DATABASE_URL: url = '', ORDERS = '100000', ROUNDS = '20', PROCESSES = '4' } = process.env;
const STEP = 500;
const orders = Number(ORDERS);
const on = url.startsWith('mysql:') ? await onMysql() : await onPostgres();

/** What each of several processes does with its part of the orders. */
const WORK = {
  fill: (numbers) =>
    on.legacy.transaction((session) =>
      insertOrders(session, new Invent(numbers[0]), numbers, stockFor(orders)),
    ),
  index: (numbers) => on.transaction((tx) => indexOrders(on.store, numbers, tx)),
};

if (process.send) {
  const [what, part] = process.argv.slice(2);
  for (let first = 1 + STEP * Number(part); first <= orders; first += STEP * Number(PROCESSES))
    await WORK[what](Array.from({ length: Math.min(STEP, orders - first + 1) }, (_, n) => first + n));
  await on.close();
  process.exit();
}

const cpuMs = await serverClock();
if ((await on.store.orders().catch(() => 0)) === 0) {
  await createTables(on.legacy);
  await on.store.migrate();
  await fillStock(on.legacy, new Invent(0), stockFor(orders));
  await together('fill');
  await together('index');
}
console.table(await on.sizes());

/** What people type, of each sort, from orders all over. */
const SORTS = {
  'rare: the name of a contact': (order) => order.ordcon.name,
  'a serial number': (order) => order.ordser?.ser_no,
  'the last 6 digits of a telephone': (order) => order.ordcon.phone.replaceAll(/\D/g, '').slice(-6),
  'the last 4 digits of a telephone': (order) => order.ordcon.phone.replaceAll(/\D/g, '').slice(-4),
  'the middle of a telephone': (order) => order.ordcon.phone.replaceAll(/\D/g, '').slice(2, -2),
  'a part number': (order) => order.itmmst.part_no,
  'a town': (order) => order.cusadr.city,
  'common: a carrier': (order) => order.shphdr.carrier,
  'common: in every order': () => 'x',
  'two common words': (order) => `${order.shphdr.carrier} ${order.ordhdr.status}`,
  'three common words, together rare': (order) =>
    `${order.shphdr.carrier} ${order.ordhdr.status} ${order.ordhdr.ord_dat.slice(0, 10)}`,
  'common and rare': (order) => `${order.shphdr.carrier} ${order.ordcon.name}`,
  'a prefix of 1 letter': (order) => order.ordcon.name.slice(0, 1),
  'a prefix of 3 letters': (order) => order.ordcon.name.slice(0, 3),
  'a year': (order) => order.ordhdr.ord_dat.slice(0, 4),
  'a typing error': (order) => missing(order.ordcon.name.split(' ').at(-1)),
  'two words, a typing error': (order) =>
    `${order.ordcon.name.split(' ')[0]} ${missing(order.ordcon.name.split(' ').at(-1))}`,
  'a typing error in a telephone': (order) =>
    `${order.ordcon.phone.replaceAll(/\D/g, '').slice(0, -1)}x`.replace('x', '5'),
  'not there': (order) => `${order.ordcon.name} xyzzy`,
};

const samples = [];
for (let n = 1; n <= Number(ROUNDS); n += 1) {
  const tables = await on.store.order(Math.ceil((orders * n) / (Number(ROUNDS) + 1)));
  samples.push(Object.fromEntries(tables.map(({ table, rows }) => [table, rows[0]])));
}
const rows = [];
for (const [sort, typed] of Object.entries(SORTS)) {
  const texts = samples.map(typed).filter(Boolean);
  const [cpu, clock, found] = [[], [], []];
  for (const text of texts) {
    const [before, start] = [cpuMs(), performance.now()];
    found.push((await find(on.store, text, { limit: 20 })).orders.length);
    clock.push(performance.now() - start);
    cpu.push(cpuMs() - before);
  }
  rows.push({
    sort,
    example: texts[0],
    found: middle(found),
    'cpu p50': at(cpu, 0.5),
    'cpu p95': at(cpu, 0.95),
    'clock p50': at(clock, 0.5),
    'clock p95': at(clock, 0.95),
  });
}
console.table(rows);
await on.close();

function missing(name) {
  return name.slice(0, 3) + name.slice(4);
}

async function together(what) {
  const [before, start] = [cpuMs(), performance.now()];
  const parts = Array.from({ length: Number(PROCESSES) }, (_, part) =>
    fork(fileURLToPath(import.meta.url), [what, String(part)]),
  );
  for (const [code] of await Promise.all(parts.map((part) => once(part, 'exit'))))
    if (code !== 0) throw new Error(`A process ended with ${code}.`);
  const seconds = (performance.now() - start) / 1000;
  const ms = (cpuMs() - before) / orders;
  console.log(
    `${what}: ${orders} orders in ${seconds.toFixed(0)} s, ${ms.toFixed(2)} ms of the server's processor each`,
  );
}

function at(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]?.toFixed(1));
}

function middle(values) {
  return at(values, 0.5);
}

async function onPostgres() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    store: new PostgresOrderStore(url, () => {}),
    legacy: postgresLegacyDatabase(url, 2),
    async transaction(work) {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    },
    async pidFile() {
      const { rows } = await client.query('SHOW data_directory');
      return `${rows[0].data_directory}/postmaster.pid`;
    },
    async sizes() {
      await client.query('VACUUM ANALYZE orders.search');
      const { rows } = await client.query(`
        SELECT 'the 17 tables' AS of, sum(pg_total_relation_size(c.oid))::bigint AS bytes FROM pg_class c
        WHERE relnamespace = 'legacy'::regnamespace AND relkind = 'r'
        UNION ALL SELECT 'search rows', pg_table_size('orders.search')
        UNION ALL SELECT 'search: lines', sum(pg_column_size(lines)) FROM orders.search
        UNION ALL SELECT 'search: words', sum(pg_column_size(words)) FROM orders.search
        UNION ALL SELECT 'text index', pg_relation_size('orders.search_words')
        UNION ALL SELECT 'rows of the 17 tables', sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass), false, true, '')))[1]::text::bigint)
        FROM pg_class c WHERE relnamespace = 'legacy'::regnamespace AND relkind = 'r'`);
      return rows.map(({ of, bytes }) => ({
        of,
        all: Number(bytes),
        'an order': Math.round(Number(bytes) / orders),
      }));
    },
    async close() {
      await Promise.all([client.end(), this.store.close(), this.legacy.close()]);
    },
  };
}

async function onMysql() {
  const client = await createConnection({ uri: url, charset: 'utf8mb4' });
  return {
    store: new MysqlOrderStore(url),
    legacy: mysqlLegacyDatabase(url, 2),
    async transaction(work) {
      await client.beginTransaction();
      await work(client);
      await client.commit();
    },
    async pidFile() {
      const [[{ file }]] = await client.query('SELECT @@pid_file AS file');
      return file;
    },
    async sizes() {
      await client.query('SET information_schema_stats_expiry = 0');
      const [files] = await client.query(`
        SELECT CASE WHEN name LIKE '%/fts_%' THEN 'text index' WHEN name LIKE '%/order_search' THEN 'search rows' ELSE 'the 17 tables' END AS of_, SUM(file_size) AS bytes
        FROM information_schema.innodb_tablespaces WHERE name LIKE CONCAT(DATABASE(), '/%') GROUP BY of_`);
      return files.map(({ of_, bytes }) => ({
        of: of_,
        all: Number(bytes),
        'an order': Math.round(Number(bytes) / orders),
      }));
    },
    async close() {
      await Promise.all([client.end(), this.store.close(), this.legacy.close()]);
    },
  };
}

/** Milliseconds of a processor that the server has used so far. */
async function serverClock() {
  const [server] = readFileSync(await on.pidFile(), 'utf8')
    .split('\n')
    .map(Number);
  return () => {
    const pids = [server, ...childrenOf(server)];
    return pids.flatMap(threadsOf).reduce((sum, ns) => sum + ns, 0) / 1e6 + endedMs(server);
  };
}

/** Of its processes that have ended, see proc(5): in hundredths of a second. */
function endedMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
  } catch {
    return [];
  }
}
