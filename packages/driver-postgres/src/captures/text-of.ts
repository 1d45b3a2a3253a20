import type { Column } from './column.js';

/**
 * A value as text, by the output function of its type. A cast would call a function of whoever owns the type; `concat` calls
 * none, whatever the type is by then.
 */
export function textOf({ type, isBuiltIn }: Pick<Column, 'type' | 'isBuiltIn'>, value: string): string {
  const text = `concat(${value})`;
  if (isBuiltIn && type === 'bool') return `CASE ${text} WHEN 't' THEN 'true' WHEN 'f' THEN 'false' END`;
  // Of a null it is an empty text. IS NULL would also be true of a composite whose members are null.
  const given = `CASE WHEN ${value} IS DISTINCT FROM NULL THEN ${text} END`;
  return isBuiltIn && type === 'bpchar' ? `rtrim(${given}, ' ')` : given;
}
