/**
 * The numbers that `increment` adds. Within them a double, a decimal and a text are the same number in every database.
 * Beyond them databases round, each in its own way.
 */
export const EXACT = {
  /** Of whole numbers. */
  mostWhole: Number.MAX_SAFE_INTEGER,
  decimalPlaces: 6,
  /** Of other numbers, and of their sums: 15 digits with the decimal places. A double keeps 15. */
  belowDecimal: 1_000_000_000,
} as const;

/** Whether `by` is a number that `increment` may add. */
export function isSummand(by: unknown): by is number {
  if (typeof by !== 'number') return false;
  return Number.isInteger(by)
    ? Math.abs(by) <= EXACT.mostWhole
    : rounded(by) === by && Math.abs(by) < EXACT.belowDecimal;
}

/** The exact sum of a stored number and one that may be added, or undefined. */
export function exactSum(found: number, by: number): number | undefined {
  if (Number.isInteger(found) && Number.isInteger(by)) {
    const sum = found + by;
    return Math.max(Math.abs(found), Math.abs(sum)) <= EXACT.mostWhole ? sum : undefined;
  }
  if (Math.abs(found + by) >= EXACT.belowDecimal || rounded(found) !== found) return undefined;
  return rounded(found + by);
}

function rounded(number: number): number {
  const scale = 10 ** EXACT.decimalPlaces;
  // Without `+ 0` a sum may be -0, which JSON does not have.
  return Math.round(number * scale) / scale + 0;
}
