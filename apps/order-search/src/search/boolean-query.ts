import type { Choice, Term } from './query.js';

/** The terms in the language of MySQL's `AGAINST (… IN BOOLEAN MODE)`. Each word has letters and digits alone, but for its `*`. */
export function booleanQueryOf(terms: readonly Term[]): string {
  return terms.map((ways) => `+(${ways.map(wayOf).join(' ')})`).join(' ');
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `+(${choice.map(indexed).join(' ')})`).join(' ')})`;
}

function indexed(word: string): string {
  return word.endsWith('*') ? word : indexable(word);
}

/** MySQL leaves words of one or two characters, and its stopwords, out of an index. None of them ends so. */
export function indexable(words: string): string {
  return words.replaceAll(/\S+/g, '$&__');
}
