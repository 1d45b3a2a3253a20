import type { Counts } from '../driver/history.js';
import { emptyBuckets } from './buckets.js';

/** What several counts have together. */
export function sumOf(counts: readonly Counts[]): Counts {
  return counts.reduce(added, NONE);
}

const NONE: Counts = {
  completed: 0,
  failed: 0,
  cancelled: 0,
  retried: 0,
  waits: emptyBuckets(),
  runs: emptyBuckets(),
};

function added(one: Counts, other: Counts): Counts {
  const each = (these: readonly number[], those: readonly number[]): readonly number[] =>
    these.map((count, place) => count + (those[place] ?? 0));
  return {
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    retried: one.retried + other.retried,
    waits: each(one.waits, other.waits),
    runs: each(one.runs, other.runs),
  };
}
