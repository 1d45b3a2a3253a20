/**
 * A value in Postgres's text format. The server itself refuses a text with a null byte.
 *
 * @throws TypeError for a value that has no single text form
 */
export function toText(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return `{${value.map(quoted).join(',')}}`;
  if (!WORDS.has(typeof value)) throw new TypeError(`A statement's value is a ${typeof value}.`);
  return String(value);
}

const WORDS: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function quoted(item: unknown): string {
  const text = toText(item);
  return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
