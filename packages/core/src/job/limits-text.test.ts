import { expect, test } from 'vitest';
import { limitsIn, limitsOf, limitsText, NO_LIMITS, ratesOf, sizesOf } from './limits-text.js';

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

test('refuses a limit that is given twice, as nobody knows which one counts', () => {
  const twice = [3, 2].map((max) => ({ name: 'a', max }));
  expect(() => limitsText(twice)).toThrow('The limit "a" is given twice. One limit may have max and starts.');
});

test.each([
  ['no name', { name: '', max: 1 }, 'must have 1 to 128 characters'],
  ['no slot', { name: 'a', max: 0 }, 'must be a whole number from 1 to 1000'],
  ['half a slot', { name: 'a', max: 1.5 }, 'must be a whole number'],
  [
    'no start',
    { name: 'a', starts: 0, perMs: 1, burst: 1 },
    'starts of the limit "a" must be a whole number from 1 to 1000000',
  ],
  [
    'no time',
    { name: 'a', starts: 1, perMs: 0, burst: 1 },
    'per of the limit "a", in milliseconds, must be a whole number from 1',
  ],
  [
    'half a burst',
    { name: 'a', starts: 1, perMs: 1, burst: 0.5 },
    'burst of the limit "a" must be a whole number',
  ],
])('refuses %s', (_, limit, message) => {
  expect(() => limitsText([limit])).toThrow(message);
});

test('refuses more limits, and longer ones, than a row has room for', () => {
  const many = Array.from({ length: 9 }, (_, place) => ({ name: `${place}`, max: 1 }));
  expect(() => limitsText(many)).toThrow('may have 8 limits, not 9');
  const long = Array.from({ length: 5 }, (_, place) => ({ name: `${place}${'x'.repeat(120)}`, max: 1 }));
  expect(() => limitsText(long)).toThrow('must have 512 characters');
});

const MAPS = { name: 'maps', starts: 60, perMs: 60_000, burst: 1 };

test('a limit has a size, or starts, or both', () => {
  const limits = [
    { ...MAPS, name: 'a', burst: 5 },
    { name: 'mail', max: 3 },
    { ...MAPS, max: 2 },
  ];
  const text = limitsText(limits);
  expect(text).toBe('{"a":[60,60000,5],"mail":3,"maps":[2,60,60000,1]}');
  expect(limitsOf(text)).toEqual(limits);
  expect(sizesOf(text)).toEqual([
    { name: 'mail', max: 3 },
    { name: 'maps', max: 2 },
  ]);
  expect(ratesOf(text)).toEqual([{ ...MAPS, name: 'a', burst: 5 }, MAPS]);
  expect(limitsIn(text)).toEqual({
    a: { starts: 60, perMs: 60_000, burst: 5 },
    mail: { max: 3 },
    maps: { max: 2, starts: 60, perMs: 60_000, burst: 1 },
  });
});

test('a limit without a size takes no slot, and one without starts no start', () => {
  expect(sizesOf(limitsText([MAPS]))).toEqual([]);
  expect(ratesOf(limitsText([{ name: 'maps', max: 1 }]))).toEqual([]);
  expect(ratesOf(NO_LIMITS)).toEqual([]);
});
