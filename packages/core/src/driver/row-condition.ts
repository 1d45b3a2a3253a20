import { isDate, isUint8Array } from 'node:util/types';
import { InvalidInputError } from '../errors.js';

/** A table's name, e.g. `orders`, or `shop.orders` with its schema. A list of names may have dots in them. */
export type TableName = string | readonly string[];

/**
 * Rows, by column. Each column has this value, or one of these values. Null matches NULL. An empty list
 * matches no row.
 */
export interface RowCondition {
  readonly [column: string]: RowValue | readonly RowValue[];
}

export type RowValue = string | number | bigint | boolean | Date | Uint8Array | null;

/** A column has one of these values, or is NULL if `orNull`. */
export interface ColumnCondition {
  readonly column: string;
  readonly values: readonly Exclude<RowValue, null>[];
  readonly orNull: boolean;
}

/** @param what The name of the argument, for errors. @throws InvalidInputError */
export function conditionOf(column: string, value: RowCondition[string], what = 'where'): ColumnCondition {
  const values = isList(value) ? value : [value];
  for (const each of values) checkValue(`${what}.${column}`, each);
  return { column, values: values.filter((each) => each !== null), orNull: values.includes(null) };
}

function isList(value: RowCondition[string]): value is readonly RowValue[] {
  return Array.isArray(value);
}

/** Refuses what JavaScript may pass: `undefined` of a misspelt name, and objects, which some clients turn into SQL. */
function checkValue(what: string, value: unknown): void {
  if (value === null || isUint8Array(value) || VALUES.has(typeof value)) return;
  if (isDate(value) && !Number.isNaN(value.getTime())) return;
  throw new InvalidInputError(
    `${what} must be a text, a number, a bigint, a boolean, a Date, bytes, null, or a list of these.`,
  );
}

const VALUES: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);
