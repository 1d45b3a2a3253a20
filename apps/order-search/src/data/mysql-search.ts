import type { RowDataPacket } from 'mysql2/promise';
import { booleanQueryOf, isLookedUpWhole } from '../search/boolean-query.js';
import { likeConditionsOf } from '../search/like-conditions.js';
import type { Term } from '../search/query.js';
import { type Found, linesOf } from './found.js';
import type { MysqlSelects } from './mysql-selects.js';
import { BEYOND_ALL, MOST_WORDS, NEWEST, type Page } from './order-store.js';

/** The newest orders that some terms find: one search, on MySQL and MariaDB. */
export class MysqlSearch {
  readonly #selects: MysqlSelects;
  readonly #terms: readonly Term[];
  readonly #before: number;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;

  constructor(
    selects: MysqlSelects,
    terms: readonly Term[],
    { before = BEYOND_ALL, limit }: Page,
    signal?: AbortSignal,
  ) {
    this.#selects = selects;
    this.#terms = terms;
    this.#before = before;
    this.#limit = limit;
    this.#signal = signal;
  }

  async found(): Promise<readonly Found[]> {
    if (this.#terms.length === 0) return [];
    const isLong = this.#terms.flat(3).length > MOST_WORDS;
    const newest = isLong ? [] : await this.#amongNewest();
    const indexed = newest.length === this.#limit ? [] : await this.#inIndex(isLong);
    // The index misses what changes at this moment, and all of its cache while the server writes that to the disk.
    const found = new Map([...newest, ...indexed].map((row) => [row.ord_no, row]));
    return foundIn([...found.values()].sort((a, b) => b.ord_no - a.ord_no).slice(0, this.#limit));
  }

  /** What many orders have is found here. The index would gather all matches. */
  async #amongNewest(): Promise<readonly FoundRow[]> {
    const { where, values } = likeConditionsOf(this.#terms);
    const select = `SELECT ord_no, \`lines\` FROM (${WORDS_OF_NEWEST}) AS newest WHERE ${where} ORDER BY ord_no DESC LIMIT ?`;
    return this.#rows(select, [this.#before, this.#before, ...values, String(this.#limit)]);
  }

  /** The index gathers all matches of each term. So it has the rare ones, and what it finds is looked through for the others. */
  async #inIndex(isLong: boolean): Promise<readonly FoundRow[]> {
    const rare = this.#terms.length > 1 && !isLong ? await this.#rare() : [];
    const looked = rare.length > 0 ? rare : this.#terms;
    const { where, values } = likeConditionsOf(
      this.#terms.filter((term) => !looked.includes(term) || !isLookedUpWhole(term)),
    );
    const select = searchWhere(where || 'TRUE');
    return this.#rows(select, [booleanQueryOf(looked), this.#before, ...values, String(this.#limit)]);
  }

  /** The terms that too few of the newest orders have to fill the page. */
  async #rare(): Promise<readonly Term[]> {
    const conditions = this.#terms.map((term) => likeConditionsOf([term]));
    const sums = conditions.map(({ where }) => `COALESCE(SUM(${where}), 0)`);
    const select = `SELECT JSON_ARRAY(${sums.join(', ')}) AS counts FROM (${WORDS_OF_NEWEST}) AS newest`;
    const values = conditions.flatMap((condition) => condition.values);
    const [row] = await this.#rows<CountsRow>(select, [...values, this.#before, this.#before]);
    return this.#terms.filter((_, n) => Number(row?.counts[n]) < this.#limit);
  }

  #rows<Row extends RowDataPacket = FoundRow>(
    select: string,
    values: (string | number)[],
  ): Promise<readonly Row[]> {
    return this.#selects.rows<Row>(select, values, this.#signal);
  }
}

/** Orders by their numbers, as these were given. */
export async function entriesOnMysql(
  selects: MysqlSelects,
  orders: readonly number[],
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  if (orders.length === 0) return [];
  return foundIn(await selects.rows<FoundRow>(ENTRIES, [JSON.stringify(orders)], signal));
}

function foundIn(rows: readonly FoundRow[]): readonly Found[] {
  return rows.map(({ ord_no: orderNo, lines }) => ({ orderNo, lines: linesOf(lines) }));
}

const ENTRIES = `
  SELECT entry.ord_no, entry.\`lines\`
  FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY, ord_no INT PATH '$')) AS given
  STRAIGHT_JOIN order_search AS entry FORCE INDEX (PRIMARY) ON entry.ord_no = given.ord_no
  ORDER BY given.place`;

/** Words have neither capitals nor accents, so that bytes can be compared. */
const WORDS_OF_NEWEST = `
  SELECT ord_no, \`lines\`, CONCAT(' ', words) COLLATE utf8mb4_bin AS words FROM order_search
  WHERE ord_no < ? AND ord_no >= (
    SELECT MIN(ord_no) FROM (SELECT ord_no FROM order_search WHERE ord_no < ? ORDER BY ord_no DESC LIMIT ${NEWEST}) AS numbers
  )`;

/** The numbers first: the server would carry the lines of all matches through its sort. */
function searchWhere(condition: string): string {
  return `
    SELECT best.ord_no, entry.\`lines\` FROM (
      SELECT ord_no FROM (
        SELECT ord_no, CONCAT(' ', words) COLLATE utf8mb4_bin AS words
        FROM order_search WHERE MATCH (words) AGAINST (? IN BOOLEAN MODE) AND ord_no < ?
      ) AS found
      WHERE ${condition} ORDER BY ord_no DESC LIMIT ?
    ) AS best JOIN order_search AS entry ON entry.ord_no = best.ord_no
    ORDER BY best.ord_no DESC`;
}

interface CountsRow extends RowDataPacket {
  readonly counts: readonly (number | string)[];
}

interface FoundRow extends RowDataPacket {
  readonly ord_no: number;
  readonly lines: string;
}
