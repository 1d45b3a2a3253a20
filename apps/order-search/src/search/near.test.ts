import { expect, test } from 'vitest';
import { nearOf } from './near.js';
import { termsOf } from './query.js';

const near = (typed: string) => nearOf(termsOf(typed)).flat(3);

test('a word stands for those that are one typing error away', () => {
  const words = near('zebrafsh here');
  for (const meant of [
    'zebrafsh',
    'zebrafish',
    'zebrash',
    'zebrafhs',
    'zebrafch',
    'ebrafsh',
    'azebrafsh',
    'zebrafshs',
  ])
    expect(words).toContain(meant);
  expect(words).not.toContain('zebrafsk here');
  expect(new Set(words).size).toBe(words.length);
});

test('an unfinished word stands for what begins nearly so, unless that is short', () => {
  expect(near('zebaf')).toEqual(expect.arrayContaining(['zebaf*', 'zebraf*', 'zeba', 'zbeaf*']));
  expect(near('berk')).toEqual(expect.arrayContaining(['berk*', 'berg', 'ber', 'berke*']));
});

test('short words and short numbers are taken as they are', () => {
  expect(near('ada')).toEqual(['ada*']);
  expect(near('4711')).toEqual(['4711*', 'x4711*', 'z1174*']);
});

test('a long number stands for those of one wrong, missing, or additional sign', () => {
  const words = near('99877665');
  for (const meant of ['x99877665*', 'x9987765*', 'x99877666*', 'x998877665*', 'x99878665*'])
    expect(words).toContain(meant);
  expect(words).not.toContain('x9987766a*');
  expect(near('qx778812a')).toContain('xqy778812a*');
});

test('other alphabets have their own letters', () => {
  expect(near('москав')).toContain('москва*');
  expect(near('моква')).toContain('москва*');
  expect(near('東京東京')).toContain('東京東');
});

test('there is an end to what is near', () => {
  expect(near('a'.repeat(31))).toEqual([`${'a'.repeat(31)}*`]);
  expect(near('9'.repeat(200))).toHaveLength(3);
  const many = Array.from({ length: 12 }, (_, n) => 'bcdfghjklmnp'.slice(n) + 'bcdfghjklmnp'.slice(0, n));
  expect(near(many.join(' ')).length).toBeLessThan(4_100);
});
