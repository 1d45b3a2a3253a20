import type { Found } from '../data/found.js';
import type { Term } from './query.js';
import { codeIn, wordsOf } from './words.js';

/** The terms with the words alone that these orders have: of hundreds of words a few are left. */
export function narrowedTo(orders: readonly Found[], terms: readonly Term[]): readonly Term[] {
  const texts = orders.flatMap(({ lines }) => lines.map(({ text }) => wordsOf(text)));
  const words = new Set(texts.flat());
  const codes = texts.map((each) => each.join('')).join(' ');
  const thereOf = (word: string): readonly string[] => {
    const text = word.replace('*', '');
    const code = codeIn(text);
    if (code !== undefined) return codes.includes(code) ? [`x${code}*`] : [];
    if (text === word) return words.has(word) ? [word] : [];
    return [...words].filter((each) => each.startsWith(text));
  };
  return terms.map((ways) =>
    ways.map((choices) => choices.map((choice) => [...new Set(choice.flatMap(thereOf))])),
  );
}

/** The words of some terms that are not in others, as a person would type them. */
export function wordsBeyond(terms: readonly Term[], others: readonly Term[]): readonly string[] {
  const known = new Set(others.flat(3));
  const beyond = [...new Set(terms.flat(3))].filter((word) => !known.has(word));
  const numbers = beyond.filter((word) => word.endsWith('*')).map((word) => word.slice(1, -1));
  // A part of a number that is there is no news.
  const whole = numbers.filter((part) => !numbers.some((each) => each !== part && each.includes(part)));
  return [...beyond.filter((word) => !word.endsWith('*')), ...whole];
}
