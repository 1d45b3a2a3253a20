import { expect, test } from 'vitest';
import { Pace } from './pace.js';

test('what takes long twice in a row is followed by a pause nine times as long', () => {
  const pace = new Pace(5_000);
  pace.took(100, 0);
  pace.took(120, 1_000);
  expect(pace.typicalMs).toBe(100);
  expect([1_000, 1_899, 1_900, 9_000].map((now) => pace.leftMs(now))).toEqual([900, 1, 0, 0]);
});

test('what takes long once is followed by a pause as long as it took', () => {
  const pace = new Pace(5_000);
  pace.took(1, 0);
  pace.took(100, 1_000);
  expect(pace.typicalMs).toBe(1);
  expect(pace.leftMs(1_000)).toBe(100);
});

test('the time that is free needs no pause', () => {
  const pace = new Pace(5_000, 2);
  for (const now of [0, 1]) pace.took(2, now);
  expect(pace.leftMs(1)).toBe(0);
  for (const now of [2, 3]) pace.took(12, now);
  expect(pace.leftMs(3)).toBe(90);
});

test('no pause is longer than the longest', () => {
  const pace = new Pace(5_000);
  for (const now of [0, 20_000]) pace.took(20_000, now);
  expect(pace.leftMs(20_000)).toBe(5_000);
});

test('a shorter pause does not end a longer one', () => {
  const pace = new Pace(5_000);
  pace.pause(300, 0);
  pace.pauseAfter(10, 0);
  expect(pace.leftMs(0)).toBe(300);
});
