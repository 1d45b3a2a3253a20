import { checkOptions, type Operation } from '@rowlock/core';
import { checkOperations, refusalIn } from '@rowlock/core/driver';
import {
  assignmentsOf,
  type Fragment,
  identifier,
  joined,
  raw,
  sql,
  stepsOf,
  toDriverError,
} from '@rowlock/driver-mysql/internal';
import { notThere } from '../lock-statement.js';
import { unknownAnswer } from '../unknown-answer.js';
import { columnsOf, type Where } from '../where.js';

/** The rows and the column to change. */
export interface JsonColumn {
  /** The database of the table. Default: that of the connection. */
  readonly database?: string;
  readonly table: string;
  /** A column of the type JSON. NULL counts as missing. */
  readonly column: string;
  readonly where: Where;
}

/** A pool, a connection or a transaction of `mysql2/promise`. */
export interface JsonTarget {
  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  execute(sql: string, values?: any): Promise<[any, any]>;
}

const COLUMN: readonly string[] = ['database', 'table', 'column', 'where'] satisfies (keyof JsonColumn)[];

/**
 * Changes a JSON column in one UPDATE, without a read before. All operations take effect, in their order, or none.
 * Updates at the same time lose nothing of each other.
 *
 * @param on A pool, a connection, or the `tx` of a handler.
 * @returns The number of rows that `where` has found.
 * @throws InvalidInputError; DriverError; UpdateRefusedError when the value of a row does not fit. Then no row is
 * changed, and an open transaction goes on.
 * @example
 * await updateJson(pool, { table: 'account', column: 'stats', where: { id: 7 } }, [increment('logins')]);
 */
export async function updateJson(
  on: JsonTarget,
  which: JsonColumn,
  operations: readonly Operation[],
): Promise<number> {
  checkOptions('The column of updateJson()', which, COLUMN);
  const { database, table, column, where } = which;
  const steps = stepsOf(checkOperations(operations));
  const name = joined([...(database === undefined ? [] : [database]), table].map(named), '.');
  const conditions = columnsOf(where).map(([each, value]) =>
    value === null
      ? sql`${named(each)} IS NULL`
      : sql`${named(each)} = ${typeof value === 'boolean' ? Number(value) : String(value)}`,
  );
  const { text, values } = sql`
    UPDATE ${name} SET ${assignmentsOf(named(column), steps)} WHERE ${joined(conditions, ' AND ')}`;
  try {
    return countIn(await on.execute(text, values));
  } catch (error) {
    const refusal = refusalIn(error);
    throw refusal === error ? notThere(toDriverError(error)) : refusal;
  }
}

function countIn(answer: unknown): number {
  const [result] = Array.isArray(answer) ? answer : [];
  const { info, affectedRows } = Object(result);
  // A connection without FOUND_ROWS counts the rows that have changed. The message has both numbers.
  const [, matched] = /^Rows matched: (\d+)/.exec(info) ?? [];
  const count = Number(matched ?? affectedRows);
  if (Number.isNaN(count)) throw unknownAnswer('execute(sql, values) must resolve with [result, fields]');
  return count;
}

function named(name: string): Fragment {
  return raw(identifier(name));
}
