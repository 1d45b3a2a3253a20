import { indexable } from './boolean-query.js';
import type { Choice, Term } from './query.js';

/** The terms as conditions on `words`, indexable words with a blank before each, and the values of their `?`. */
export function likeConditionsOf(terms: readonly Term[]): {
  readonly where: string;
  readonly values: string[];
} {
  return {
    where: terms.map((ways) => `(${ways.map(wayOf).join(' OR ')})`).join(' AND '),
    values: terms.flat(3).map(patternOf),
  };
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `(${choice.map(() => 'words LIKE ?').join(' OR ')})`).join(' AND ')})`;
}

/** Unescaped, `_` would stand for any character. */
function patternOf(word: string): string {
  return `% ${word.endsWith('*') ? word.slice(0, -1) : indexable(word).replaceAll('_', '\\_')}%`;
}
