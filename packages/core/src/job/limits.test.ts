import { expect, test } from 'vitest';
import { limitsOf, limitsText, NO_LIMITS } from './limits.js';

test('the text of limits has the names in order, without blanks, and is read back', () => {
  const limits = [
    { name: 'mail of "Ö"', max: 2 },
    { name: 'mail', max: 20 },
  ];
  expect(limitsText(limits)).toBe('{"mail":20,"mail of \\"Ö\\"":2}');
  expect(limitsOf(limitsText(limits))).toEqual([limits[1], limits[0]]);
});

test('a job without limits has an empty text', () => {
  expect(limitsText([])).toBe(NO_LIMITS);
  expect(limitsOf(NO_LIMITS)).toEqual([]);
});

test('names that read as numbers keep the order of their texts', () => {
  const limits = ['10', '9', 'a'].map((name) => ({ name, max: 1 }));
  expect(limitsText(limits)).toBe('{"10":1,"9":1,"a":1}');
  expect(limitsOf(limitsText(limits)).map(({ name }) => name)).toEqual(['10', '9', 'a']);
});

test('of two sizes of one name the smaller one counts', () => {
  const twice = [3, 2, 5].map((max) => ({ name: 'a', max }));
  expect(limitsText(twice)).toBe('{"a":2}');
});

test.each([
  ['no name', { name: '', max: 1 }, 'must have 1 to 128 characters'],
  ['no slot', { name: 'a', max: 0 }, 'must be a whole number from 1 to 1000'],
  ['half a slot', { name: 'a', max: 1.5 }, 'must be a whole number'],
])('refuses %s', (_, limit, message) => {
  expect(() => limitsText([limit])).toThrow(message);
});

test('refuses more limits, and longer ones, than a row has room for', () => {
  const many = Array.from({ length: 9 }, (_, place) => ({ name: `${place}`, max: 1 }));
  expect(() => limitsText(many)).toThrow('may have 8 limits, not 9');
  const long = Array.from({ length: 5 }, (_, place) => ({ name: `${place}${'x'.repeat(120)}`, max: 1 }));
  expect(() => limitsText(long)).toThrow('must have 512 characters');
});
