import type { Choice, Term } from './query.js';
import { codeIn, hasDigit } from './words.js';

/** A shorter word is one typing error away from too many others. */
const SHORTEST_WORD = 4;
/** A shorter number is, too: the number beside it is another customer's. */
const SHORTEST_NUMBER = 8;
/** A shorter beginning begins too many words. */
const SHORTEST_BEGINNING = 5;
/** A longer word has very many neighbours, and nobody typed it. */
const LONGEST = 30;
/** With more words than this a search takes too long: what comes after them is taken as it is. */
const MOST_WORDS = 4_000;

/**
 * The terms, whose words also stand for those that are one typing error away: a letter too many or too few, another letter, or two
 * neighbours in the wrong order. The index is asked for all of these words, so that it needs nothing else for them.
 */
export function nearOf(terms: readonly Term[]): readonly Term[] {
  let words = 0;
  return terms.map((term) => {
    const near = term.map((choices) => choices.map(nearChoiceOf));
    words += near.flat(2).length;
    return words > MOST_WORDS ? term : near;
  });
}

function nearChoiceOf(choice: Choice): Choice {
  return [...new Set(choice.flatMap(nearWordsOf))];
}

/** Numbers have an `x` or a `z` before them: see `wordsOfCode`. */
function nearWordsOf(word: string): readonly string[] {
  const isOpen = word.endsWith('*');
  const text = word.replace('*', '');
  if (text.length > LONGEST) return [word];
  if (hasDigit(text)) {
    if ((codeIn(text) ?? '').length < SHORTEST_NUMBER) return [word];
    return [word, ...errorsIn(text.slice(1)).map((near) => `${text.slice(0, 1)}${near}*`)];
  }
  if (text.length < SHORTEST_WORD) return [word];
  return [
    word,
    ...errorsIn(text).map((near) => (isOpen && near.length >= SHORTEST_BEGINNING ? `${near}*` : near)),
  ];
}

/** What a person may have meant who typed this text with one error. */
function errorsIn(text: string): readonly string[] {
  const letters = [...text];
  const alphabet = ALPHABETS.filter((each) => each.some((letter) => text.includes(letter))).flat();
  const meant = letters.flatMap((letter, n) => {
    const [before, after] = [letters.slice(0, n).join(''), letters.slice(n + 1)];
    const [next = '', ...rest] = after;
    return [
      before + after.join(''),
      before + next + letter + rest.join(''),
      ...alphabet.flatMap((other) => [
        before + other + after.join(''),
        before + other + letter + after.join(''),
      ]),
    ];
  });
  return [...meant, ...alphabet.map((other) => text + other)].filter((each) => each !== text);
}

/** The letters of each alphabet, without those that are folded. A text of another one is asked for without its missing letters. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгґдђеєжзѕиіјклљмнњопрстћуфхцчџшщъыьэюя',
].map((letters) => [...letters]);
