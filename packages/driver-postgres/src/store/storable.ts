import { DriverError, type Json } from '@rowlock/core';

/**
 * Text that a column accepts. The client would silently put U+FFFD in the place of half a surrogate pair.
 *
 * @throws DriverError `InvalidInput`
 */
export function storableText<Text extends string | null>(text: Text): Text {
  if (text !== null && (text.includes('\0') || !text.isWellFormed())) throw unstorable();
  return text;
}

/**
 * A value that a JSON column accepts. The driver refuses others, because the server's refusal would abort the transaction.
 *
 * @throws DriverError `InvalidInput`
 */
export function storableJson(value: Json | object): string {
  const text = JSON.stringify(value);
  if (UNSTORABLE_ESCAPE.test(text)) throw unstorable();
  return text;
}

/** JSON.stringify escapes exactly these: a NUL, and a half of a surrogate pair without the other. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function unstorable(): DriverError {
  return new DriverError('InvalidInput', 'Postgres stores no NUL character and no half of a surrogate pair.');
}
