import { expect, test } from 'vitest';
import { type Duration, milliseconds } from './duration.js';

test.each<[Duration, number]>([
  [0, 0],
  [250, 250],
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1.5d', 129_600_000],
])('%s is %i ms', (duration, ms) => expect(milliseconds(duration)).toBe(ms));

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5', '5 s', 's', '-5s', '1e3s', '', null, {}])(
  '%j is none, and the error says what would be',
  (duration) => {
    // Values from JavaScript or from configuration are not typed.
    expect(() => milliseconds(duration as Duration, 'timeout')).toThrow(
      /timeout must be milliseconds or like/,
    );
  },
);
