import { type Choice, isShort, type Term } from './query.js';

/**
 * The terms in the language of MySQL's `AGAINST (… IN BOOLEAN MODE)`. Each word has letters and digits alone, but for its `*`.
 * It may find more than the terms mean: see `isLookedUpWhole`. The server takes some thirty parentheses in all, so there is none that
 * is not needed.
 */
export function booleanQueryOf(terms: readonly Term[]): string {
  return terms
    .map((ways) => {
      const [only, ...others] = ways.map(lookedUp);
      if (only !== undefined && others.length === 0) return allOf(only);
      return `+(${ways.map(wayOf).join(' ')})`;
    })
    .join(' ');
}

/** Whether the index looks up all that a term wants. */
export function isLookedUpWhole(ways: Term): boolean {
  return ways.every((choices) => lookedUp(choices).length === choices.length);
}

/** One of several ways. */
function wayOf(way: readonly Choice[]): string {
  const choices = lookedUp(way);
  return choices.length === 1
    ? choices.flatMap((choice) => choice.map(indexed)).join(' ')
    : `(${allOf(choices)})`;
}

function allOf(choices: readonly Choice[]): string {
  return choices
    .map((choice) => choice.map(indexed))
    .map((words) => (words.length === 1 ? `+${words.join('')}` : `+(${words.join(' ')})`))
    .join(' ');
}

/** The index would gather all matches of the short part of a number, which may be in every order. */
function lookedUp(choices: readonly Choice[]): readonly Choice[] {
  const long = choices.filter((choice) => !choice.every(isShort));
  return long.length > 0 ? long : choices;
}

function indexed(word: string): string {
  return word.endsWith('*') ? word : indexable(word);
}

/** MySQL leaves words of one or two characters, and its stopwords, out of an index. None of them ends so. */
export function indexable(words: string): string {
  return words.replaceAll(/\S+/g, '$&__');
}
