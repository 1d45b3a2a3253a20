import type { Choice, Term } from './query.js';

/** The terms in the language of Postgres' `to_tsquery`. Each word has letters and digits alone, but for its `*`. */
export function tsQueryOf(terms: readonly Term[]): string {
  return terms.map((ways) => `(${ways.map(wayOf).join(' | ')})`).join(' & ');
}

function wayOf(choices: readonly Choice[]): string {
  return `(${choices.map((choice) => `(${choice.map(quoted).join(' | ')})`).join(' & ')})`;
}

function quoted(word: string): string {
  return word.endsWith('*') ? `'${word.slice(0, -1)}':*` : `'${word}'`;
}
