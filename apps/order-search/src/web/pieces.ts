import type { Term } from '../search/query.js';
import { codeIn, codeOf, SHORTEST_PART, wordsOf } from '../search/words.js';

/**
 * A text in pieces, of which every second one begins as one of the terms does. A number counts as found as a whole.
 *
 * @returns one piece if nothing is found
 */
export function piecesOf(text: string, terms: readonly Term[]): readonly string[] {
  const wanted = new Set(terms.flat(3).map((word) => word.replace('*', '')));
  const begins = (word: string) =>
    wordsOf(word).some((part) => [...wanted].some((each) => part.startsWith(each)));
  const pieces = [''];
  for (const part of text.split(/([\p{L}\p{N}\p{M}]+)/u)) {
    const isFound = begins(part);
    if (isFound === (pieces.length % 2 === 0)) pieces[pieces.length - 1] += part;
    else pieces.push(part);
  }
  if (pieces.length > 1 && pieces.at(-1) === '') pieces.pop();
  if (pieces.length > 1 || ![...wanted].some((each) => isNumberIn(text, each))) return pieces;
  return ['', text];
}

function isNumberIn(text: string, beginning: string): boolean {
  const code = codeIn(beginning) ?? '';
  return code.length >= SHORTEST_PART && codeOf(text).includes(code);
}
