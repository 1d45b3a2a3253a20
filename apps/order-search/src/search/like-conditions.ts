import type { Choice, Term } from './query.js';

/** The terms as conditions on `words`, a text with a blank before each word, and the values of their `?`. */
export function likeConditionsOf(terms: readonly Term[]): {
  readonly where: string;
  readonly values: string[];
} {
  return {
    where: terms.map((ways) => `(${ways.map(wayOf).join(' OR ')})`).join(' AND '),
    values: terms.flat(3).map((word) => `% ${word}%`),
  };
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `(${choice.map(() => 'words LIKE ?').join(' OR ')})`).join(' AND ')})`;
}
