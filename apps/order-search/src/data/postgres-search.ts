import type { Term } from '../search/query.js';
import { tsQueryOf } from '../search/ts-query.js';
import { type Found, linesOf } from './found.js';
import { BEYOND_ALL, MOST_WORDS, NEWEST, type Page } from './order-store.js';
import type { PostgresSelects } from './postgres-selects.js';

/** The newest orders that the terms find. */
export async function searchOnPostgres(
  selects: PostgresSelects,
  terms: readonly Term[],
  { before = BEYOND_ALL, limit }: Page,
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  if (terms.length === 0) return [];
  const values = [tsQueryOf(terms), before, limit];
  const isLong = terms.flat(3).length > MOST_WORDS;
  const search = isLong
    ? { name: 'search all', text: ALL, values }
    : { name: 'search', text: SEARCH, values };
  return foundIn(await selects.rows<FoundRow>(search, signal));
}

/** Orders by their numbers, as these were given. */
export async function entriesOnPostgres(
  selects: PostgresSelects,
  orders: readonly number[],
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  if (orders.length === 0) return [];
  return foundIn(await selects.rows<FoundRow>({ name: 'entries', text: ENTRIES, values: [orders] }, signal));
}

interface FoundRow {
  readonly ord_no: number;
  readonly lines: string;
}

function foundIn(rows: readonly FoundRow[]): readonly Found[] {
  return rows.map(({ ord_no: orderNo, lines }) => ({ orderNo, lines: linesOf(lines) }));
}

const ENTRIES = `
  SELECT ord_no, lines FROM unnest($1::integer[]) WITH ORDINALITY AS given (ord_no, place) JOIN orders.search USING (ord_no)
  ORDER BY place`;

/**
 * By the index, always: the planner does not see the words, which a sub-select hides. Else it may look through all orders for hundreds
 * of words, or from the newest on for a word that none has. Materialized, so that it does not do that for the sort either.
 */
const INDEXED =
  'SELECT ord_no FROM orders.search WHERE words @@ (SELECT $1::tsquery) AND ord_no < $2::bigint';

const ALL = `
  WITH found AS MATERIALIZED (${INDEXED}),
  page AS (SELECT ord_no FROM found ORDER BY ord_no DESC LIMIT $3)
  SELECT ord_no, lines FROM page JOIN orders.search USING (ord_no) ORDER BY ord_no DESC`;

/**
 * What many orders have is found among the newest ones. The index would first gather all matches, and has no order. It is
 * for what few of the newest have.
 */
const SEARCH = `
  WITH newest AS MATERIALIZED (
    SELECT ord_no FROM (
      SELECT ord_no, words FROM orders.search WHERE ord_no < $2::bigint ORDER BY ord_no DESC LIMIT ${NEWEST}
    ) AS newest WHERE words @@ $1::tsquery ORDER BY ord_no DESC LIMIT $3
  ), found AS MATERIALIZED (
    ${INDEXED} AND (SELECT count(*) < $3 FROM newest)
  ), page AS (
    SELECT ord_no FROM (SELECT ord_no FROM newest UNION SELECT ord_no FROM found) AS either
    ORDER BY ord_no DESC LIMIT $3
  )
  SELECT ord_no, lines FROM page JOIN orders.search USING (ord_no) ORDER BY ord_no DESC`;
