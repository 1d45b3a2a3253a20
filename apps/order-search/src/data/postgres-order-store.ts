import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Entry } from '../search/entry.js';
import type { Term } from '../search/query.js';
import { readSources, type SourceRow } from '../search/sources.js';
import { tsQueryOf } from '../search/ts-query.js';
import { type Found, linesOf, linesText } from './found.js';
import { tablesOf } from './legacy-order.js';
import { type LegacyTable, NEWEST, type OrderStore } from './order-store.js';
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
  readonly #pool: pg.Pool;

  /** @param onLost Called for an idle connection that broke. The pool replaces it by itself. */
  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#pool = new pg.Pool({ connectionString, max: 5 });
    this.#pool.on('error', onLost);
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

  async ordersOf(subject: Subject, beyond: number, limit: number, tx: Queries): Promise<readonly number[]> {
    const select = numbered(selectOrdersOf('legacy.', subject.of)).replace('$1 =', '$1::integer =');
    const { rows } = await tx.query<{ ord_no: number }>(select, [subject.no, beyond, limit]);
    return rows.map(({ ord_no: orderNo }) => orderNo);
  }

  async orders(): Promise<number> {
    return this.#count('legacy.ordhdr');
  }

  async search(terms: readonly Term[], limit: number): Promise<readonly Found[]> {
    if (terms.length === 0) return [];
    const { rows } = await this.#pool.query<{ ord_no: number; lines: string }>({
      name: 'search',
      text: SEARCH,
      values: [tsQueryOf(terms), limit],
    });
    return rows.map(({ ord_no: orderNo, lines }) => ({ orderNo, lines: linesOf(lines) }));
  }

  async size(): Promise<number> {
    return this.#count('orders.search');
  }

  async order(orderNo: number): Promise<readonly LegacyTable[]> {
    return tablesOf('legacy.', async (sql) => {
      const { rows } = await this.#pool.query<{ row: Record<string, unknown> }>(
        `SELECT to_json(found) AS row FROM (${numbered(sql)}) AS found`,
        [orderNo],
      );
      return rows.map(({ row }) => row);
    });
  }

  async migrate(): Promise<void> {
    await this.#pool.query(
      await readFile(new URL('../../migrations/postgres/search.sql', import.meta.url), 'utf8'),
    );
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #count(table: 'legacy.ordhdr' | 'orders.search'): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table}`);
    return rows[0]?.n ?? 0;
  }
}

const ADD = 'INSERT INTO orders.search (ord_no) SELECT unnest($1::integer[]) ON CONFLICT (ord_no) DO NOTHING';

const LOCK = 'SELECT FROM orders.search WHERE ord_no = ANY ($1::integer[]) ORDER BY ord_no FOR UPDATE';

const READ = readSources('legacy.', 'SELECT unnest($1::integer[]) AS ord_no');

/** A list has any length to the planner: it would plan 17 joins for each order, or for ten of them. */
const READ_ONE = readSources('legacy.', 'SELECT $1::integer AS ord_no');

const WRITE = `
  WITH gone AS (DELETE FROM orders.search WHERE ord_no = ANY ($4::integer[]))
  UPDATE orders.search AS entry SET lines = given.lines, words = to_tsvector('simple', given.words)
  FROM unnest($1::integer[], $2::text[], $3::text[]) AS given (ord_no, lines, words)
  WHERE entry.ord_no = given.ord_no AND entry.lines <> given.lines`;

/**
 * What many orders have is found among the newest ones. The index would first gather all matches, and has no order. It is
 * for what few of the newest have. Ranking reads each match, so no more than these are ranked.
 */
const SEARCH = `
  WITH newest AS MATERIALIZED (
    SELECT ord_no FROM (SELECT ord_no, words FROM orders.search ORDER BY ord_no DESC LIMIT ${NEWEST}) AS newest
    WHERE words @@ to_tsquery('simple', $1) LIMIT 100
  ), others AS MATERIALIZED (
    SELECT ord_no FROM orders.search
    WHERE (SELECT count(*) < $2 FROM newest) AND words @@ to_tsquery('simple', $1) LIMIT 1000
  )
  SELECT ord_no, lines
  FROM (SELECT ord_no FROM newest UNION SELECT ord_no FROM others) AS ranked JOIN orders.search USING (ord_no)
  ORDER BY ts_rank(words, to_tsquery('simple', $1)) DESC, ord_no DESC
  LIMIT $2`;

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
