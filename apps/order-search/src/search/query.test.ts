import { expect, test } from 'vitest';
import { ordersIn, termsOf } from './query.js';

test('the last word finds the words that begin so, and those before it are whole', () => {
  expect(termsOf('Ada Berg')).toEqual([[[['ada']]], [[['berg*']]]]);
  expect(termsOf('  ')).toEqual([]);
});

test('what has a digit may be a part or the end of a number, from its third character on', () => {
  expect(termsOf('ob15')).toEqual([[[['ob15*', 'xob15*', 'z51bo*']]]]);
  expect(termsOf('15')).toEqual([[[['15*']]]]);
});

test('a number that was typed with spaces is one number, or what its parts are', () => {
  const [term, ...others] = termsOf('0171 555');
  expect(others).toEqual([]);
  // Without the zero of national numbers.
  expect(term).toEqual([[['x171555*', 'z555171*']], [['0171', 'x171*', 'z171*'], ['555*']]]);
});

test('short words beside digits belong to a part number, and long ones do not', () => {
  expect(termsOf('berg ob 15')).toEqual([[[['berg']]], [[['xob15*', 'z51bo*']], [['ob'], ['15*']]]]);
});

test('beyond twelve words nothing is looked at', () => {
  expect(termsOf('alpha '.repeat(40))).toHaveLength(12);
});

test('a number may say the same twice', () => {
  expect(termsOf('171 55 55')).toEqual([[[['x1715555*', 'z5555171*']], [['171'], ['55'], ['55*']]]]);
});

test('numbers alone may be those of orders', () => {
  for (const typed of [
    '4711 4712',
    '4711, 4712',
    '#4711 & #4712',
    'Orders 4711 and 4712',
    'no. 4711; no. 4712',
  ])
    expect(ordersIn(typed), typed).toEqual([4711, 4712]);
  for (const typed of [
    '',
    'and',
    'berg 4711',
    '98-77665',
    '+49 171',
    '12.50',
    '0171 998',
    '99999999999',
    '2147483648',
  ])
    expect(ordersIn(typed), typed).toEqual([]);
  expect(ordersIn('0 -5 0')).toEqual([0, -5]);
  expect(ordersIn('\u202a4711\u202c\ufeff')).toEqual([4711]);
});
