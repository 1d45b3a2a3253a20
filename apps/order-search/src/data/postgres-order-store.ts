import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Entry } from '../search/entry.js';
import type { Term } from '../search/query.js';
import { readSources, type SourceRow } from '../search/sources.js';
import { type Found, linesText } from './found.js';
import { tablesOf } from './legacy-order.js';
import type { LegacyTable, OrderStore, Page } from './order-store.js';
import { entriesOnPostgres, searchOnPostgres } from './postgres-search.js';
import { PostgresSelects } from './postgres-selects.js';
import { type Subject, selectOrdersOf } from './subject.js';

/** All of a `pg` client that the store needs, and all that a handler's transaction has. */
export interface Queries {
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>;
}

/** The search table on Postgres. */
export class PostgresOrderStore implements OrderStore<Queries> {
  readonly #selects: PostgresSelects;

  /** @param onLost Called for an idle connection that broke. The pool replaces it by itself. */
  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#selects = new PostgresSelects(connectionString, onLost);
  }

  async lock(orders: readonly number[], tx: Queries): Promise<void> {
    await tx.query({ name: 'add', text: ADD, values: [orders] });
    // A statement of its own: another transaction may have added a row while the first one waited for it.
    await tx.query({ name: 'lock', text: LOCK, values: [orders] });
  }

  async read(orders: readonly number[], tx: Queries): Promise<readonly SourceRow[]> {
    const [order] = orders;
    const read =
      orders.length === 1
        ? { name: 'read one', text: READ_ONE, values: [order] }
        : { name: 'read', text: READ, values: [orders] };
    const { rows } = await tx.query<ReadRow>(read);
    return rows.map(({ ord_no: orderNo, source, txt, code }) => ({ orderNo, source, text: txt, code }));
  }

  async write(orders: readonly number[], entries: readonly Entry[], tx: Queries): Promise<void> {
    const written = new Set(entries.map(({ orderNo }) => orderNo));
    const gone = orders.filter((order) => !written.has(order));
    await tx.query({
      name: 'write',
      text: WRITE,
      values: [[...written], entries.map(linesText), entries.map(({ words }) => words), gone],
    });
  }

  async ordersOf(
    subject: Subject,
    beyond: number | null,
    limit: number,
    tx: Queries,
  ): Promise<readonly number[]> {
    const { sql, values } = selectOrdersOf(TABLES, subject, beyond, limit);
    const { rows } = await tx.query<{ ord_no: number }>(numbered(sql), [...values]);
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async orders(): Promise<number> {
    return this.#count('legacy.ordhdr');
  }

  async search(terms: readonly Term[], page: Page, signal?: AbortSignal): Promise<readonly Found[]> {
    return searchOnPostgres(this.#selects, terms, page, signal);
  }

  async entries(orders: readonly number[], signal?: AbortSignal): Promise<readonly Found[]> {
    return entriesOnPostgres(this.#selects, orders, signal);
  }

  async newest(limit: number): Promise<readonly number[]> {
    const rows = await this.#selects.rows<{ ord_no: number }>({
      text: 'SELECT ord_no FROM orders.search ORDER BY ord_no DESC LIMIT $1',
      values: [limit],
    });
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async size(): Promise<number> {
    return this.#count('orders.search');
  }

  async order(orderNo: number): Promise<readonly LegacyTable[]> {
    return tablesOf('legacy.', async (sql) => {
      const rows = await this.#selects.rows<{ row: Record<string, unknown> }>({
        text: `SELECT to_json(found) AS row FROM (${numbered(sql)}) AS found`,
        values: [orderNo],
      });
      return rows.map(({ row }) => row);
    });
  }

  async migrate(): Promise<void> {
    await this.#selects.rows(
      await readFile(new URL('../../migrations/postgres/search.sql', import.meta.url), 'utf8'),
    );
  }

  async close(): Promise<void> {
    await this.#selects.close();
  }

  async #count(table: 'legacy.ordhdr' | 'orders.search'): Promise<number> {
    const rows = await this.#selects.rows<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table}`);
    return rows[0]?.n ?? 0;
  }
}

const TABLES = { legacy: 'legacy.', search: 'orders.search' } as const;

const ADD = 'INSERT INTO orders.search (ord_no) SELECT unnest($1::integer[]) ON CONFLICT (ord_no) DO NOTHING';

const LOCK = 'SELECT FROM orders.search WHERE ord_no = ANY ($1::integer[]) ORDER BY ord_no FOR UPDATE';

const READ = readSources('legacy.', 'SELECT unnest($1::integer[]) AS ord_no');

/** A list has any length to the planner: it would plan 17 joins for each order, or for ten of them. */
const READ_ONE = readSources('legacy.', 'SELECT $1::integer AS ord_no');

const WRITE = `
  WITH gone AS (DELETE FROM orders.search WHERE ord_no = ANY ($4::integer[]))
  UPDATE orders.search AS entry SET lines = given.lines, words = given.words
  FROM (
    SELECT ord_no, lines, array_to_tsvector(string_to_array(words, ' ')) AS words
    FROM unnest($1::integer[], $2::text[], $3::text[]) AS given (ord_no, lines, words)
  ) AS given
  WHERE entry.ord_no = given.ord_no AND (entry.lines <> given.lines OR entry.words IS DISTINCT FROM given.words)`;

interface ReadRow {
  readonly ord_no: number;
  readonly source: string;
  readonly txt: string;
  readonly code: string | null;
}

/** Statements for both databases have `?` for their values. */
function numbered(sql: string): string {
  let n = 0;
  return sql.replaceAll('?', () => `$${++n}`);
}
