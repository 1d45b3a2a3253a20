import type { Term } from './query.js';

/** The terms in the language of Postgres' `to_tsquery`. Each beginning has letters and digits alone. */
export function tsQueryOf(terms: readonly Term[]): string {
  return terms
    .map((term) => `(${term.map((beginnings) => `(${beginnings.map(prefix).join(' & ')})`).join(' | ')})`)
    .join(' & ');
}

function prefix(beginning: string): string {
  return `'${beginning}':*`;
}
