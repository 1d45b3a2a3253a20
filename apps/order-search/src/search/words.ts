import { folded } from './fold.js';

/** The words of a text, in plain letters and in lower case: `Müller-Straße 5` is `muller`, `strasse` and `5`. */
export function wordsOf(text: string): string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A phone, part or serial number without what people write between its parts: `OB-15/2240` is `ob152240`. */
export function codeOf(text: string): string {
  return wordsOf(text).join('');
}

/** A part of a number that is shorter is in very many of them, and finds none. */
export const SHORTEST_PART = 3;

/**
 * The words by which a number is found: all its endings. Text search finds words by their beginning alone, and each part of a
 * number is the beginning of one of its endings. A part that has letters alone is also a word of its own.
 */
export function wordsOfCode(text: string): readonly string[] {
  const parts = wordsOf(text);
  const signs = [...parts.join('')];
  const endings = signs.length === 0 ? 0 : Math.max(1, signs.length - SHORTEST_PART + 1);
  return [
    ...parts.filter((part) => !hasDigit(part)),
    ...Array.from({ length: endings }, (_, from) => `x${signs.slice(from).join('')}`),
  ];
}

export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
