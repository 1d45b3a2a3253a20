import { folded } from './fold.js';
import { codeOf, hasDigit, SHORTEST_PART, wordsOf } from './words.js';

/** An order has at least one of these words. One that ends with `*` stands for the words that begin so. */
export type Choice = readonly string[];

/** An order is found by a way if it has each of its choices, and by a term if one of its ways finds it. */
export type Term = readonly (readonly Choice[])[];

/** More words than this are not looked at. */
const MOST_TERMS = 12;

/**
 * What a person typed, as terms. The last word may not be typed to its end, so it finds the words that begin so. Each word
 * before it is whole: a text index gathers all words of a beginning, which may be very many.
 * What has a digit may also be a part of a number.
 * Neighbours with digits may be one number that was typed with spaces: `0171 555 1234`, `OB 15 2240`.
 */
export function termsOf(typed: string): readonly Term[] {
  const terms: Term[] = [];
  const words = wordsOf(typed).slice(0, MOST_TERMS);
  for (const run of runsOf(words.map((word, n) => (n === words.length - 1 ? `${word}*` : word)))) {
    if (run.length === 1 || !run.some(hasDigit)) terms.push(...run.map((word) => [[choiceOf(word)]]));
    else terms.push([[numbersOf(run.join(''))], run.map(choiceOfPart)]);
  }
  return terms;
}

/**
 * The orders that a person typed the numbers of, and nothing else: `4711`, `4711, 4712`, `orders #4711 and #4712`. A phone number
 * with blanks may look the same, so these are looked up beside the terms.
 */
export function ordersIn(typed: string): readonly number[] {
  const said = folded(typed).split(/[\s,;&#]+/);
  const numbers = said.filter((each) => each !== '' && !/^(?:orders?|and|or|nos?|nr)[.:]?$/.test(each));
  if (!numbers.every((each) => /^(?:0|-?[1-9]\d{0,9})$/.test(each))) return [];
  return [...new Set(numbers.slice(0, MOST_TERMS).map(Number))].filter((no) => Math.abs(no) < 2 ** 31);
}

/** Runs of neighbours that may be parts of one number. */
function runsOf(words: readonly string[]): string[][] {
  const runs: string[][] = [];
  let mayGoOn = false;
  for (const word of words) {
    const last = runs.at(-1);
    const mayBePart = hasDigit(word) || isShort(word);
    if (mayGoOn && mayBePart && last) last.push(word);
    else runs.push([word]);
    mayGoOn = mayBePart;
  }
  return runs;
}

function choiceOf(word: string): Choice {
  return hasDigit(word) && codeOf(word).length >= SHORTEST_PART ? [word, ...numbersOf(word)] : [word];
}

/** What is short is in very many numbers. */
function choiceOfPart(word: string): Choice {
  return isShort(word) ? [word] : choiceOf(word);
}

/** By a part of it, and by its end. A national number's leading zeros are not in an international one. */
function numbersOf(text: string): Choice {
  const code = codeOf(text).replace(LEADING_ZEROS, '');
  return [`x${code}*`, `z${[...code].reverse().join('')}*`];
}

const LEADING_ZEROS = new RegExp(`^0+(?=.{${SHORTEST_PART}})`, 'u');

export function isShort(word: string): boolean {
  return word.replace('*', '').length <= 3;
}
