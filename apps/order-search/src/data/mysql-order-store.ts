import { readFile } from 'node:fs/promises';
import type { ExecuteValues, FieldPacket, QueryResult, RowDataPacket } from 'mysql2/promise';
import { indexable } from '../search/boolean-query.js';
import type { Entry } from '../search/entry.js';
import type { Term } from '../search/query.js';
import { readSources, type SourceRow } from '../search/sources.js';
import { type Found, linesText } from './found.js';
import { tablesOf } from './legacy-order.js';
import { entriesOnMysql, MysqlSearch } from './mysql-search.js';
import { MysqlSelects } from './mysql-selects.js';
import type { LegacyTable, OrderStore, Page } from './order-store.js';
import { type Subject, selectOrdersOf } from './subject.js';

/** All of a `mysql2` connection that the store needs, and all that a handler's transaction has. */
export interface Queries {
  execute<R extends QueryResult>(statement: string, values?: ExecuteValues): Promise<[R, FieldPacket[]]>;
}

/** The search table on MySQL and MariaDB. */
export class MysqlOrderStore implements OrderStore<Queries> {
  readonly #selects: MysqlSelects;

  constructor(uri: string) {
    this.#selects = new MysqlSelects(uri);
  }

  async lock(orders: readonly number[], tx: Queries): Promise<void> {
    await tx.execute(ADD, [JSON.stringify(orders)]);
    await tx.execute(LOCK, [JSON.stringify(orders)]);
  }

  async read(orders: readonly number[], tx: Queries): Promise<readonly SourceRow[]> {
    const [rows] = await tx.execute<ReadRow[]>(READ, [JSON.stringify(orders)]);
    return rows.map(({ ord_no: orderNo, source, txt, code }) => ({ orderNo, source, text: txt, code }));
  }

  async write(orders: readonly number[], entries: readonly Entry[], tx: Queries): Promise<void> {
    const written = new Set(entries.map(({ orderNo }) => orderNo));
    const gone = orders.filter((order) => !written.has(order));
    const given = entries.map((entry) => [entry.orderNo, linesText(entry), indexable(entry.words)]);
    if (given.length > 0) await tx.execute(WRITE, [JSON.stringify(given)]);
    if (gone.length > 0) await tx.execute(REMOVE, [JSON.stringify(gone)]);
  }

  async ordersOf(
    subject: Subject,
    beyond: number | null,
    limit: number,
    tx: Queries,
  ): Promise<readonly number[]> {
    const { sql, values } = selectOrdersOf(TABLES, subject, beyond, limit);
    // As texts: the server takes no floating point for a LIMIT.
    const [rows] = await tx.execute<OrderRow[]>(sql, values.map(String));
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async orders(): Promise<number> {
    return this.#count('ordhdr');
  }

  async search(terms: readonly Term[], page: Page, signal?: AbortSignal): Promise<readonly Found[]> {
    return new MysqlSearch(this.#selects, terms, page, signal).found();
  }

  async entries(orders: readonly number[], signal?: AbortSignal): Promise<readonly Found[]> {
    return entriesOnMysql(this.#selects, orders, signal);
  }

  async newest(limit: number): Promise<readonly number[]> {
    const select = 'SELECT ord_no FROM order_search ORDER BY ord_no DESC LIMIT ?';
    const rows = await this.#selects.rows<OrderRow>(select, [String(limit)]);
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async size(): Promise<number> {
    return this.#count('order_search');
  }

  async order(orderNo: number): Promise<readonly LegacyTable[]> {
    return tablesOf('', (sql) => this.#selects.rows(sql, [orderNo]));
  }

  async migrate(): Promise<void> {
    await this.#selects.run(
      await readFile(new URL('../../migrations/mysql/search.sql', import.meta.url), 'utf8'),
    );
  }

  async close(): Promise<void> {
    await this.#selects.close();
  }

  async #count(table: 'ordhdr' | 'order_search'): Promise<number> {
    const rows = await this.#selects.rows<NumberRow>(`SELECT COUNT(*) AS n FROM ${table}`, []);
    return Number(rows[0]?.n ?? 0);
  }
}

const GIVEN = "JSON_TABLE(?, '$[*]' COLUMNS (ord_no INT PATH '$')) AS given";

const TABLES = { legacy: '', search: 'order_search' } as const;

const ADD = `INSERT IGNORE INTO order_search (ord_no, \`lines\`, words) SELECT given.ord_no, '[]', '' FROM ${GIVEN}`;

/** A derived table: MySQL refuses a lock beside JSON_TABLE, and MariaDB has no lock of one table alone. */
const LOCK = `
  SELECT entry.ord_no FROM (SELECT DISTINCT given.ord_no FROM ${GIVEN}) AS wanted
  STRAIGHT_JOIN order_search AS entry FORCE INDEX (PRIMARY) ON entry.ord_no = wanted.ord_no
  FOR UPDATE`;

const READ = readSources('', `SELECT given.ord_no FROM ${GIVEN}`);

const WRITE = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (ord_no INT PATH '$[0]', \`lines\` LONGTEXT PATH '$[1]', words LONGTEXT PATH '$[2]')) AS given
  STRAIGHT_JOIN order_search AS entry FORCE INDEX (PRIMARY) ON entry.ord_no = given.ord_no
  SET entry.\`lines\` = given.\`lines\`, entry.words = given.words
  WHERE CAST(entry.\`lines\` AS BINARY) <> CAST(given.\`lines\` AS BINARY)
     OR CAST(entry.words AS BINARY) <> CAST(given.words AS BINARY)`;

const REMOVE = `
  DELETE entry FROM ${GIVEN} STRAIGHT_JOIN order_search AS entry FORCE INDEX (PRIMARY) ON entry.ord_no = given.ord_no`;

interface OrderRow extends RowDataPacket {
  readonly ord_no: number;
}

interface NumberRow extends RowDataPacket {
  readonly n: number | string;
}

interface ReadRow extends OrderRow {
  readonly source: string;
  readonly txt: string;
  readonly code: string | null;
}
