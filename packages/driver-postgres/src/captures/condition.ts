import type { ColumnCondition } from '@rowlock/core/driver';
import { literal } from '../literal.js';
import type { Column } from './column.js';
import { textOf } from './text-of.js';

/** Types of the server's own have lower numbers. */
const FIRST_OF_USERS = 16_384;

/** The categories of times, and of their ranges. */
const MOMENTS: readonly string[] = ['D', 'R'];

const MOVING = /\b(now|today|tomorrow|yesterday)\b/i;

/** Whether a value meets a condition, as its type compares. Its column has passed `conditionRefusal` and `isKnownType`. */
export function conditionSql({ values, orNull }: ColumnCondition, column: Column, value: string): string {
  const given = values.flatMap((each) => (each instanceof Object ? [] : [literal(each)]));
  const parts = [
    ...(given.length > 0 ? [equals(column, value, given.join(', '))] : []),
    ...(orNull ? [`${value} IS NULL`] : []),
  ];
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
}

function equals(column: Column, value: string, given: string): string {
  const { kind, isBuiltIn, cast } = column;
  if (kind === 'e') return `${textOf(column, value)} IN (${given})`;
  if (isBuiltIn) return `${value} IN (${given})`;
  // Arrays are compared by the operator class of their members' type, which no name can stand for.
  return `ARRAY[${value}::${cast}] && ARRAY[${given}]::${cast}[]`;
}

/**
 * Whether a column that was compared when the capture was applied may still be. It may have become one of another type, whose
 * casts and operators are its owner's. The server may call these as soon as it plans a comparison, so this comes before it.
 * Undefined: no comparison depends on the type.
 *
 * @param value Of the column.
 */
export function isKnownType({ values }: ColumnCondition, column: Column, value: string): string | undefined {
  const { kind, isDomain, isBuiltIn, cast } = column;
  if (values.length === 0 || kind === 'e') return undefined;
  const type = `pg_typeof(${value})`;
  const named = `${literal(cast)}::regtype`;
  const itself = isBuiltIn ? `${type}::oid < ${FIRST_OF_USERS}` : `${type} = ${named}`;
  if (!isDomain) return itself;
  return `(${itself} OR EXISTS (SELECT FROM pg_type WHERE oid = ${type} AND typtype = 'd' AND typbasetype = ${named}))`;
}

/** A query of whether a column of the server's own types has all of these values as they are, and cuts and rounds none. */
export function keepsSql(values: ColumnCondition['values'], { sized }: Column): string {
  const given = values.flatMap((each) => (each instanceof Object ? [] : [literal(each)]));
  return `SELECT ${given.map((each) => `(${each})::${sized} IN (${each})`).join(' AND ')} AS keeps`;
}

/** Why values cannot be compared with a column. Undefined if they may be: the server looks at the values then. */
export function conditionRefusal({ values }: ColumnCondition, column: Column): string | undefined {
  const moving = values.find((value) => typeof value === 'string' && MOVING.test(value));
  if (column.isBuiltIn && MOMENTS.includes(column.category) && moving !== undefined)
    return `${JSON.stringify(moving)} is another time each day`;
  if (values.length === 0 || (column.isBuiltIn && !column.isDomainOfDomain)) return undefined;
  const isPlain = column.kind === 'e' || (column.kind === 'b' && column.operators !== null);
  if (!isPlain || column.isDomainOfDomain)
    return `the type ${column.cast} cannot be compared with the rights of the triggers`;
  if (values.some((value) => typeof value !== 'string'))
    return `the values of the type ${column.cast} are texts`;
  const unknown =
    column.labels === null ? undefined : values.find((value) => !column.labels?.includes(String(value)));
  return unknown === undefined
    ? undefined
    : `the type ${column.cast} has no value ${JSON.stringify(unknown)}`;
}
