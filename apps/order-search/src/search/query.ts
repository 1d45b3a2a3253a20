import { codeOf, wordsOf, wordsOfCode } from './words.js';

/** An order has at least one of these words. One that ends with `*` stands for the words that begin so. */
export type Choice = readonly string[];

/** An order is found by a way if it has each of its choices, and by a term if one of its ways finds it. */
export type Term = readonly (readonly Choice[])[];

/** More words than this are not looked at. */
const MOST_TERMS = 12;

/**
 * What a person typed, as terms. The last word may not be typed to its end, so it finds the words that begin so. Each word
 * before it is whole: a text index gathers all words of a beginning, which may be very many.
 * What has a digit may also be the beginning or the end of a number.
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
  return hasDigit(word) ? [word, ...numbersOf(word)] : [word];
}

/** What is short begins or ends very many numbers. */
function choiceOfPart(word: string): Choice {
  return isShort(word) ? [word] : choiceOf(word);
}

/** By its beginning, and by its end. A national number's leading zero is not in an international one. */
function numbersOf(text: string): Choice {
  const code = codeOf(text);
  const [begin] = wordsOfCode(code);
  const [, end] = wordsOfCode(code.replace(/^0+(?=.)/, ''));
  return [`${begin}*`, `${end}*`];
}

export function isShort(word: string): boolean {
  return word.replace('*', '').length <= 3;
}

function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
