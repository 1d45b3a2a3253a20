import { folded } from './fold.js';

/** The words of a text, in plain letters and in lower case: `Müller-Straße 5` is `muller`, `strasse` and `5`. */
export function wordsOf(text: string): string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A phone, part or serial number without what people write between its parts: `OB-15/2240` is `ob152240`. */
export function codeOf(text: string): string {
  return wordsOf(text).join('');
}

/** Parts of a number that are shorter are in very many of them, and find none. */
export const SHORTEST_PART = 3;

/**
 * The words by which a number is found. Text search finds words by their beginning alone.
 *
 * - One of seven digits or more, as of a telephone, is found by any part. All its endings are words, and a part begins one of them.
 * - Another one is found by its beginning, by its end, and by what stands between its signs: the last word is the number backwards.
 *   All endings of all numbers would be half of the words of an order.
 */
export function wordsOfCode(text: string): readonly string[] {
  const parts = wordsOf(text);
  const code = parts.join('');
  const signs = [...code];
  if (!LONG.test(code)) return [...parts, `x${code}`, `z${signs.reverse().join('')}`];
  return signs.slice(SHORTEST_PART - 1).map((_, from) => `x${signs.slice(from).join('')}`);
}

const LONG = /^\p{N}{7,}$/u;

/** The number that a word of `wordsOfCode` is made of: `ob15` of `xob15` and of `z51bo`. */
export function codeIn(word: string): string | undefined {
  const code = word.slice(1);
  if (!hasDigit(code) || !/^[xz]/.test(word)) return undefined;
  return word.startsWith('x') ? code : [...code].reverse().join('');
}

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
