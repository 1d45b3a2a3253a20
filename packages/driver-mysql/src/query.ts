import { toDriverError } from './errors.js';

/**
 * A `mysql2/promise` connection, or an object that passes statements on to one.
 *
 * A handler is given one as `tx`. The client's calls accept a caller's connection as `tx`. `execute` prepares the statement and
 * sends the values apart from it, so that no setting of the session can turn a value into SQL.
 */
export interface MysqlTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it, which types rows by the caller's word.
  execute(sql: string, values?: any): Promise<[any, any]>;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  query(sql: string, values?: any): Promise<[any, any]>;
}

export type Value = string | number | bigint | boolean | null;

/** Returns the rows of one of the driver's statements. With `bigNumberStrings` a computed number may be a text. @throws DriverError */
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

/** Returns the rows of a statement without values that is seldom sent: not prepared, it takes one round trip and not two. @throws DriverError */
export async function read<Row>(on: MysqlTransaction, sql: string): Promise<Row[]> {
  try {
    const [rows] = await on.query(sql);
    return rows;
  } catch (error) {
    throw toDriverError(error);
  }
}

/** Calls a procedure, and returns the rows of all its answers. @throws DriverError */
export async function call<Row>(
  on: MysqlTransaction,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  // The last answer is the end of the call, and has no rows. Without other answers it stands alone.
  const answers: readonly (readonly Row[])[] | object = await query(on, sql, values);
  return Array.isArray(answers) ? answers.slice(0, -1).flat() : [];
}

/** Changes rows, and returns the number of matched ones. @throws DriverError */
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

/** A value for the client, which sends a number as a double. LIMIT refuses a double, and a bigint would lose digits. Both are sent as text. */
function sent(value: Value): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === null || typeof value === 'string' ? value : String(value);
}
