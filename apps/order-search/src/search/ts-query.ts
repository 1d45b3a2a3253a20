import type { Choice, Term } from './query.js';

/** The terms in the language of Postgres' `to_tsquery`. Each beginning has letters and digits alone. */
export function tsQueryOf(terms: readonly Term[]): string {
  return terms.map((ways) => `(${ways.map(wayOf).join(' | ')})`).join(' & ');
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `(${choice.map((word) => `'${word}':*`).join(' | ')})`).join(' & ')})`;
}
