import { expect, test } from 'vitest';
import { booleanQueryOf, isLookedUpWhole } from './boolean-query.js';
import { termsOf } from './query.js';

test('words are looked up as they are in the index, and beginnings as such', () => {
  const terms = termsOf('Ada Berg');
  expect(booleanQueryOf(terms)).toBe('+ada__ +berg*');
  expect(terms.every(isLookedUpWhole)).toBe(true);
});

test('the short parts of a number are not looked up beside a long one', () => {
  const terms = termsOf('SN A7KD 123456');
  expect(booleanQueryOf(terms)).toBe(
    '+(xsna7kd123456* z654321dk7ans* (+(a7kd__ xa7kd* zdk7a*) +(123456* x123456* z654321*)))',
  );
  expect(terms.map(isLookedUpWhole)).toEqual([false]);
});

test('short words alone are looked up', () => {
  const terms = termsOf('ob 15');
  expect(booleanQueryOf(terms)).toBe('+(xob15* z51bo* (+ob__ +15*))');
  expect(terms.map(isLookedUpWhole)).toEqual([true]);
});
