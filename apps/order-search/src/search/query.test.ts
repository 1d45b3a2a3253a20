import { expect, test } from 'vitest';
import { termsOf } from './query.js';

test('the last word finds the words that begin so, and those before it are whole', () => {
  expect(termsOf('Ada Berg')).toEqual([[[['ada']]], [[['berg*']]]]);
  expect(termsOf('  ')).toEqual([]);
});

test('what has a digit may begin or end a number', () => {
  expect(termsOf('ob15')).toEqual([[[['ob15*', 'xob15*', 'z51bo*']]]]);
});

test('a number that was typed with spaces is one number, or what its parts are', () => {
  const [term, ...others] = termsOf('0171 555');
  expect(others).toEqual([]);
  // Its end is without the zero of national numbers.
  expect(term).toEqual([[['x0171555*', 'z555171*']], [['0171', 'x0171*', 'z171*'], ['555*']]]);
});

test('short words beside digits belong to a part number, and long ones do not', () => {
  expect(termsOf('berg ob 15')).toEqual([[[['berg']]], [[['xob15*', 'z51bo*']], [['ob'], ['15*']]]]);
});

test('beyond twelve words nothing is looked at', () => {
  expect(termsOf('alpha '.repeat(40))).toHaveLength(12);
});
