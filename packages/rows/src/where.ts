import { InvalidInputError } from '@rowlock/core';
import { checkStorable } from '@rowlock/core/driver';

/** The rows in which each named column has this value, or is NULL. One column at least. */
export type Where = { readonly [column: string]: string | number | bigint | boolean | null };

const COMPARABLE: readonly string[] = ['string', 'number', 'bigint', 'boolean'];

/** The columns and their values. @throws InvalidInputError */
export function columnsOf(where: Where): readonly (readonly [column: string, value: Where[string]])[] {
  const columns: [string, Where[string]][] = Object.entries(Object(where));
  if (columns.length === 0)
    throw new InvalidInputError('where must name a column and its value, e.g. { id: 7 }.');
  for (const [column, value] of columns) checkValue(column, value);
  return columns;
}

function checkValue(column: string, value: unknown): void {
  if (value === null) return;
  if (!COMPARABLE.includes(typeof value) || Number.isNaN(value))
    throw new InvalidInputError(
      `where.${column} must be a text, a number, a boolean or null, not ${typeof value === 'number' ? value : typeof value}.`,
    );
  checkStorable(`where.${column}`, String(value));
}
