import { toDriverError } from '../errors.js';

/**
 * What can be asked: a `mysql2/promise` connection, or anything that passes statements on to one.
 *
 * A handler is given one as `tx`, and a caller's own is accepted as `tx` by the client's calls. `execute` prepares the
 * statement and sends the values apart from it, so that no setting of the session can turn a value into SQL.
 */
export interface MysqlTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it, which types rows by the caller's word.
  execute(sql: string, values?: any): Promise<[any, any]>;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  query(sql: string, values?: any): Promise<[any, any]>;
}

export type Value = string | number | bigint | boolean | null;

/** Asks one of the driver's own statements for rows. By `bigNumberStrings` what is computed may come as text. @throws DriverError */
export async function query<Row>(
  on: MysqlTransaction,
  sql: string,
  values: readonly Value[] = [],
): Promise<Row[]> {
  try {
    const [rows] = await on.execute(sql, values.map(sent));
    return rows;
  } catch (error) {
    throw toDriverError(error);
  }
}

/** Changes rows, and returns how many it met. @throws DriverError */
export async function change(
  on: Pick<MysqlTransaction, 'execute'>,
  sql: string,
  values: readonly Value[] = [],
): Promise<Changed> {
  try {
    const [{ affectedRows, insertId }] = await on.execute(sql, values.map(sent));
    return { rows: Number(affectedRows), insertId: Number(insertId) };
  } catch (error) {
    throw toDriverError(error);
  }
}

export interface Changed {
  readonly rows: number;
  readonly insertId: number;
}

/** The client sends a number as a double, which LIMIT refuses, and a bigint would lose digits that way: text is both. */
function sent(value: Value): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === null || typeof value === 'string' ? value : String(value);
}

/**
 * As many placeholders as there are values, in steps of powers of two, and the values to fill them: a server prepares
 * each statement once for each text, so there should be few texts.
 */
export function list<Item extends Value>(
  items: readonly Item[],
): { places: string; values: (Item | null)[] } {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, items.length)));
  const values = Array.from({ length: size }, (_, place) => items[place] ?? items.at(-1) ?? null);
  return { places: Array.from({ length: size }, () => '?').join(', '), values };
}

/** How many values one statement is given at most. A server takes 65,535 placeholders, and a few thousand locks at a time. */
const LONGEST_LIST = 1024;

/** Lists that one statement each can take, in the same order; of no items none. */
export function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / LONGEST_LIST) }, (_, part) =>
    items.slice(part * LONGEST_LIST, (part + 1) * LONGEST_LIST),
  );
}
