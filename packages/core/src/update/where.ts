import { InvalidInputError } from '../errors.js';
import { checkStorable } from '../input.js';

/** The rows in which each named column has this value, or is NULL. One column at least. */
export type Where = { readonly [column: string]: string | number | bigint | boolean | null };

const COMPARABLE: readonly string[] = ['string', 'number', 'bigint', 'boolean'];

/** The columns and their values, as text or null. @throws InvalidInputError */
export function columnsOf(where: Where): readonly (readonly [column: string, value: string | null])[] {
  const columns = Object.entries(Object(where));
  if (columns.length === 0)
    throw new InvalidInputError('where must name a column and its value, e.g. { id: 7 }.');
  return columns.map(([column, value]) => [column, textOf(column, value)]);
}

function textOf(column: string, value: unknown): string | null {
  if (value === null) return null;
  if (!COMPARABLE.includes(typeof value) || Number.isNaN(value))
    throw new InvalidInputError(
      `where.${column} must be a text, a number, a boolean or null, not ${value === undefined ? 'undefined' : typeof value}.`,
    );
  const text = String(value);
  checkStorable(`where.${column}`, text);
  return text;
}
