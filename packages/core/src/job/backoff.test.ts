import { expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

const backoff = { baseMs: 1_000, factor: 2, capMs: 60_000 };

test.each([
  [1, 1_000],
  [2, 2_000],
  [5, 16_000],
  [7, 60_000],
  [1_000, 60_000],
])('after attempt %i the pause is between half and all of %i ms', (attempt, most) => {
  expect(backoffMs(backoff, attempt, 0)).toBe(most / 2);
  expect(backoffMs(backoff, attempt, 0.999_999)).toBe(most);
});

test('without a base there is no pause', () => {
  expect(backoffMs({ ...backoff, baseMs: 0 }, 3)).toBe(0);
});
