import { checkOptions, type Operation } from '@rowlock/core';
import { checkOperations, refusalIn } from '@rowlock/core/driver';
import { identifier, toDriverError, updatedJson } from '@rowlock/driver-postgres/internal';
import { notThere } from '../lock-statement.js';
import { unknownAnswer } from '../unknown-answer.js';
import { columnsOf, type Where } from '../where.js';

/** The rows and the column to change. */
export interface JsonColumn {
  /** The schema of the table. Default: that in which SQL without a schema finds the table. */
  readonly schema?: string;
  readonly table: string;
  /** A column of `jsonb` or `json`. NULL counts as missing. */
  readonly column: string;
  readonly where: Where;
}

/** A pool, a client or a transaction. It sends a text with values, and answers with an array of rows, or with `{ rows }`. */
export interface JsonTarget {
  query(text: string, values: unknown[]): PromiseLike<unknown>;
}

const COLUMN: readonly string[] = ['schema', 'table', 'column', 'where'] satisfies (keyof JsonColumn)[];

/**
 * Changes a JSON column in one UPDATE, without a read before. All operations take effect, in their order, or none.
 * Updates at the same time lose nothing of each other.
 *
 * @param on A pool, a client, or the `tx` of a handler.
 * @returns The number of rows that `where` has found.
 * @throws InvalidInputError; DriverError; UpdateRefusedError when the value of a row does not fit. Then no row is
 * changed, and Postgres has ended the open transaction, as after any error.
 * @example
 * await updateJson(pool, { table: 'account', column: 'stats', where: { id: 7 } }, [increment('logins')]);
 */
export async function updateJson(
  on: JsonTarget,
  which: JsonColumn,
  operations: readonly Operation[],
): Promise<number> {
  checkOptions('The column of updateJson()', which, COLUMN);
  const { schema, table, column, where } = which;
  const name = [...(schema === undefined ? [] : [schema]), table].map(identifier).join('.');
  const changed = identifier(column);
  const updated = updatedJson(`its.${changed}`, '$1', checkOperations(operations));
  const values: unknown[] = [updated.given];
  const conditions = columnsOf(where).map(([each, value]) => {
    // `IS NOT DISTINCT FROM` would use no index.
    if (value === null) return `its.${identifier(each)} IS NULL`;
    // Of a text, as 'true', postgres.js makes false where the column has booleans.
    return `its.${identifier(each)} = $${values.push(typeof value === 'boolean' ? value : String(value))}`;
  });
  const text = `
    WITH updated AS (
      UPDATE ${name} AS its SET ${changed} = ${updated.text}
      WHERE ${conditions.join(' AND ')} RETURNING 1
    )
    SELECT count(*)::text AS updated FROM updated`;
  return countIn(await send(on, text, values));
}

/** @throws UpdateRefusedError, DriverError */
async function send(on: JsonTarget, text: string, values: unknown[]): Promise<unknown> {
  try {
    return await on.query(text, values);
  } catch (error) {
    const refusal = refusalIn(error);
    throw refusal === error ? notThere(toDriverError(error)) : refusal;
  }
}

function countIn(answer: unknown): number {
  const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
  const [row] = Array.isArray(rows) ? rows : [];
  const count = Number(Object(row).updated);
  if (Number.isNaN(count))
    throw unknownAnswer('query(text, values) must resolve with an array of rows, or with { rows }');
  return count;
}
