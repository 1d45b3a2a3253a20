import type { Choice, Term } from './query.js';

/** The terms in the language of MySQL's `AGAINST (… IN BOOLEAN MODE)`. Each beginning has letters and digits alone. */
export function booleanQueryOf(terms: readonly Term[]): string {
  return terms.map((ways) => `+(${ways.map(wayOf).join(' ')})`).join(' ');
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `+(${choice.map((word) => `${word}*`).join(' ')})`).join(' ')})`;
}

/** MySQL leaves words of one or two characters, and its stopwords, out of an index. None of them ends so. */
export function indexable(words: string): string {
  return words.replaceAll(/\S+/g, '$&__');
}
