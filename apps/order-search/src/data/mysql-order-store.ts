import { readFile } from 'node:fs/promises';
import {
  createPool,
  type ExecuteValues,
  type FieldPacket,
  type Pool,
  type QueryResult,
  type RowDataPacket,
} from 'mysql2/promise';
import { booleanQueryOf, indexable, isLookedUpWhole } from '../search/boolean-query.js';
import type { Entry } from '../search/entry.js';
import { likeConditionsOf } from '../search/like-conditions.js';
import type { Term } from '../search/query.js';
import { readSources, type SourceRow } from '../search/sources.js';
import { type Found, linesOf, linesText } from './found.js';
import { tablesOf } from './legacy-order.js';
import { type LegacyTable, NEWEST, type OrderStore } from './order-store.js';
import { type Subject, selectOrdersOf } from './subject.js';

/** All of a `mysql2` connection that the store needs, and all that a handler's transaction has. */
export interface Queries {
  execute<R extends QueryResult>(statement: string, values?: ExecuteValues): Promise<[R, FieldPacket[]]>;
}

/** The search table on MySQL and MariaDB. */
export class MysqlOrderStore implements OrderStore<Queries> {
  readonly #pool: Pool;

  constructor(uri: string) {
    this.#pool = createPool({ uri, connectionLimit: 5, charset: 'utf8mb4', dateStrings: true });
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

  async ordersOf(subject: Subject, beyond: number, limit: number, tx: Queries): Promise<readonly number[]> {
    // As text: the server takes no floating point for a LIMIT.
    const values = [subject.no, beyond, String(limit)];
    const [rows] = await tx.execute<OrderRow[]>(selectOrdersOf('', subject.of), values);
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async orders(): Promise<number> {
    return this.#count('ordhdr');
  }

  async search(terms: readonly Term[], limit: number): Promise<readonly Found[]> {
    if (terms.length === 0) return [];
    const newest = await this.#newest(terms, limit);
    const indexed = newest.length === limit ? [] : await this.#indexed(terms, limit);
    // The index also misses what changes at this moment, and all of its cache while the server writes that to the disk.
    const found = new Map([...indexed, ...newest].map((row) => [row.ord_no, row]));
    return [...found.values()]
      .slice(0, limit)
      .map(({ ord_no: orderNo, lines }) => ({ orderNo, lines: linesOf(lines) }));
  }

  async size(): Promise<number> {
    return this.#count('order_search');
  }

  async order(orderNo: number): Promise<readonly LegacyTable[]> {
    return tablesOf('', async (sql) => (await this.#pool.execute<RowDataPacket[]>(sql, [orderNo]))[0]);
  }

  async migrate(): Promise<void> {
    await this.#pool.query(
      await readFile(new URL('../../migrations/mysql/search.sql', import.meta.url), 'utf8'),
    );
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** What many orders have is found here. The index would gather and rank all matches. */
  async #newest(terms: readonly Term[], limit: number): Promise<FoundRow[]> {
    const { where, values } = likeConditionsOf(terms);
    const statement = `SELECT ord_no, \`lines\` FROM (${WORDS_OF_NEWEST}) AS newest WHERE ${where} ORDER BY ord_no DESC LIMIT ?`;
    const [rows] = await this.#pool.execute<FoundRow[]>(statement, [...values, String(limit)]);
    return rows;
  }

  /** The index gathers all matches of each term. So it has the rare ones, and what it finds is looked through for the others. */
  async #indexed(terms: readonly Term[], limit: number): Promise<FoundRow[]> {
    const rare = terms.length > 1 ? await this.#rareOf(terms, limit) : [];
    const looked = rare.length > 0 ? rare : terms;
    const { where, values } = likeConditionsOf(
      terms.filter((term) => !looked.includes(term) || !isLookedUpWhole(term)),
    );
    const query = booleanQueryOf(looked);
    const statement = searchWhere(where || 'TRUE');
    const [rows] = await this.#pool.execute<FoundRow[]>(statement, [query, query, ...values, String(limit)]);
    return rows;
  }

  /** The terms that fewer than so many of the newest orders have. */
  async #rareOf(terms: readonly Term[], limit: number): Promise<readonly Term[]> {
    const conditions = terms.map((term) => likeConditionsOf([term]));
    const sums = conditions.map(({ where }) => `COALESCE(SUM(${where}), 0)`);
    const statement = `SELECT JSON_ARRAY(${sums.join(', ')}) AS counts FROM (${WORDS_OF_NEWEST}) AS newest`;
    const [rows] = await this.#pool.execute<CountsRow[]>(
      statement,
      conditions.flatMap(({ values }) => values),
    );
    const counts = rows[0]?.counts ?? [];
    return terms.filter((_, n) => Number(counts[n]) < limit);
  }

  async #count(table: 'ordhdr' | 'order_search'): Promise<number> {
    const [rows] = await this.#pool.execute<NumberRow[]>(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(rows[0]?.n ?? 0);
  }
}

const GIVEN = "JSON_TABLE(?, '$[*]' COLUMNS (ord_no INT PATH '$')) AS given";

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
  WHERE CAST(entry.\`lines\` AS BINARY) <> CAST(given.\`lines\` AS BINARY)`;

const REMOVE = `
  DELETE entry FROM ${GIVEN} STRAIGHT_JOIN order_search AS entry FORCE INDEX (PRIMARY) ON entry.ord_no = given.ord_no`;

/** Words have neither capitals nor accents, so that bytes can be compared. */
const WORDS_OF_NEWEST = `
  SELECT ord_no, \`lines\`, CONCAT(' ', words) COLLATE utf8mb4_bin AS words FROM order_search
  WHERE ord_no >= (SELECT MIN(ord_no) FROM (SELECT ord_no FROM order_search ORDER BY ord_no DESC LIMIT ${NEWEST}) AS numbers)`;

/** The numbers first: the server would carry the lines of all matches through its sort. */
function searchWhere(condition: string): string {
  return `
    SELECT best.ord_no, entry.\`lines\` FROM (
      SELECT ord_no, score FROM (
        SELECT ord_no, MATCH (words) AGAINST (? IN BOOLEAN MODE) AS score, CONCAT(' ', words) COLLATE utf8mb4_bin AS words
        FROM order_search WHERE MATCH (words) AGAINST (? IN BOOLEAN MODE)
      ) AS found
      WHERE ${condition} ORDER BY score DESC LIMIT ?
    ) AS best JOIN order_search AS entry ON entry.ord_no = best.ord_no
    ORDER BY best.score DESC, best.ord_no DESC`;
}

interface OrderRow extends RowDataPacket {
  readonly ord_no: number;
}

interface NumberRow extends RowDataPacket {
  readonly n: number | string;
}

interface CountsRow extends RowDataPacket {
  readonly counts: readonly (number | string)[];
}

interface FoundRow extends OrderRow {
  readonly lines: string;
}

interface ReadRow extends OrderRow {
  readonly source: string;
  readonly txt: string;
  readonly code: string | null;
}
