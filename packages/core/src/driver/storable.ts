import type { Json } from '../job/json.js';
import { DriverError } from './driver-error.js';

/**
 * Text that every database stores. Some clients would silently put U+FFFD in the place of half a surrogate pair.
 *
 * @throws DriverError `InvalidInput`
 */
export function storableText<Text extends string | null>(text: Text): Text {
  if (text !== null && (text.includes('\0') || !text.isWellFormed())) throw unstorable();
  return text;
}

/**
 * A value as JSON that every database stores. The server's refusal would abort the caller's transaction, so a driver refuses first.
 *
 * @throws DriverError `InvalidInput`
 */
export function storableJson(value: Json | object): string {
  const text = JSON.stringify(value);
  if (UNSTORABLE_ESCAPE.test(text)) throw unstorable();
  return text;
}

/** JSON.stringify escapes exactly these: a NUL, and a half of a surrogate pair without the other half. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function unstorable(): DriverError {
  const message = 'A text has a NUL character, or half of a surrogate pair: databases do not store these.';
  return new DriverError('InvalidInput', message);
}
