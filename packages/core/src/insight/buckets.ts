/** The upper ends of the buckets in milliseconds: 1, 2, 5 and so on. One more bucket is for longer times. */
const ENDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000,
  3_600_000, 21_600_000,
] as const;

export const BUCKETS = ENDS_MS.length + 1;

export function emptyBuckets(): number[] {
  return new Array<number>(BUCKETS).fill(0);
}

export function bucketOf(ms: number): number {
  const place = ENDS_MS.findIndex((end) => ms <= end);
  return place === -1 ? ENDS_MS.length : place;
}

/** Percentiles of a time, in milliseconds. Estimated within a bucket, as if its times were spread evenly. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Null of nothing. The longest bucket counts as its lower end. */
export function percentiles(buckets: readonly number[]): Percentiles | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  return { p50: at(buckets, total * 0.5), p95: at(buckets, total * 0.95), p99: at(buckets, total * 0.99) };
}

function at(buckets: readonly number[], rank: number): number {
  let below = 0;
  for (const [place, count] of buckets.entries()) {
    const from = ENDS_MS[place - 1] ?? 0;
    if (count > 0 && below + count >= rank)
      return from + ((ENDS_MS[place] ?? from) - from) * ((rank - below) / count);
    below += count;
  }
  return ENDS_MS[ENDS_MS.length - 1] ?? 0;
}
