import { codeOf, wordsOf, wordsOfCode } from './words.js';

/** Beginnings of words that an order has, all of them. */
type Beginnings = readonly string[];

/** An order is found if it has one of the alternatives of each term. */
export type Term = readonly Beginnings[];

/** More words than this are not looked at. */
const MOST_TERMS = 12;

/**
 * What a person typed, as terms. Each word finds the words that begin so.
 * What has a digit may also be the beginning or the end of a number.
 * Neighbours with digits may be one number that was typed with spaces: `0171 555 1234`, `OB 15 2240`.
 */
export function termsOf(typed: string): readonly Term[] {
  const terms: Term[] = [];
  for (const run of runsOf(wordsOf(typed).slice(0, MOST_TERMS))) {
    const apart = run.map(termOfWord);
    if (run.length === 1 || !run.some(hasDigit)) terms.push(...apart);
    else terms.push([...numbersOf(run.join('')), ...product(apart)]);
  }
  return terms;
}

/** Runs of neighbours that may be parts of one number. */
function runsOf(words: readonly string[]): string[][] {
  const runs: string[][] = [];
  let mayGoOn = false;
  for (const word of words) {
    const last = runs.at(-1);
    const mayBePart = hasDigit(word) || word.length <= 3;
    if (mayGoOn && mayBePart && last) last.push(word);
    else runs.push([word]);
    mayGoOn = mayBePart;
  }
  return runs;
}

function termOfWord(word: string): Term {
  return hasDigit(word) ? [[word], ...numbersOf(word)] : [[word]];
}

/** By its beginning, and by its end. A national number's leading zero is not in an international one. */
function numbersOf(text: string): Term {
  const code = codeOf(text);
  const [begin] = wordsOfCode(code);
  const [, end] = wordsOfCode(code.replace(/^0+(?=.)/, ''));
  return [[begin], [end]];
}

/** Each way to take one alternative of each term. */
function product(terms: readonly Term[]): Beginnings[] {
  // Three neighbours with three ways each are 27, which is enough for any part number.
  if (terms.length > 3) return [terms.map(([[word = ''] = []]) => word)];
  return terms.reduce<Beginnings[]>(
    (ways, term) => ways.flatMap((way) => term.map((next) => [...way, ...next])),
    [[]],
  );
}

function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
