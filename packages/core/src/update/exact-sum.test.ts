import { expect, test } from 'vitest';
import { exactSum, isSummand } from './exact-sum.js';

/** A number as a whole number of millionths. Undefined when it is none. */
function millionths(number: number): bigint | undefined {
  const [, sign, whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(String(number)) ?? [];
  if (sign === undefined) return undefined;
  const size = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
  return sign === '-' ? -size : size;
}

const NUMBERS = [
  0,
  1,
  -1,
  7,
  0.1,
  0.2,
  0.3,
  0.7,
  1.1,
  2.3,
  0.000_001,
  -0.000_001,
  123_456.789,
  999_999_999,
  999_999_999.999_999,
  -999_999_999.999_999,
  1e9,
  1.5e9,
  2 ** 31,
  2 ** 52,
  2 ** 53 - 2,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
];

test('a sum is that of the decimal numbers, or there is none', () => {
  for (const found of NUMBERS) {
    for (const by of NUMBERS.filter(isSummand)) {
      const sum = exactSum(found, by);
      const exact = (millionths(found) ?? 0n) + (millionths(by) ?? 0n);
      if (sum !== undefined) expect(millionths(sum), `${found} + ${by}`).toBe(exact);
      const isWhole = Number.isInteger(found) && Number.isInteger(by);
      const most = isWhole ? BigInt(Number.MAX_SAFE_INTEGER) * 1_000_000n : 999_999_999_999_999n;
      expect(sum !== undefined, `${found} + ${by}`).toBe(exact <= most && exact >= -most);
    }
  }
});

test.each([2 ** 53, 1e300, Number.MAX_VALUE, 1e-7, 5e-324, 0.30000000000000004])(
  '%s is not added to',
  (found) => {
    expect(exactSum(found, 1)).toBeUndefined();
    expect(exactSum(found, -1)).toBeUndefined();
  },
);

test('a sum of 0 is no -0', () => {
  expect(exactSum(-0.5, 0.5)).toBe(0);
  expect(exactSum(0.000_000_4, -0.000_000_4)).toBeUndefined();
});
