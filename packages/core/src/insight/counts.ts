import type { Counts } from '../driver/history.js';
import { emptyBuckets, type Percentiles, percentiles } from './buckets.js';

/** What workers have settled in a time. Jobs that a client has cancelled do not count. */
export interface WindowStats {
  /** How long the time is, in seconds. */
  readonly seconds: number;
  /** Completed, failed and cancelled jobs. */
  readonly settled: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs after which the job is tried again. */
  readonly retried: number;
  /** From the time a job was due to its claim, in milliseconds. Null without a run. */
  readonly waitedMs: Percentiles | null;
  /** From a job's claim to its settlement, in milliseconds. Null without a run. */
  readonly tookMs: Percentiles | null;
}

/** What several counts have together, for people. */
export function settledIn(counts: readonly Counts[]): Omit<WindowStats, 'seconds'> {
  const { completed, failed, cancelled, retried, waits, runs } = sumOf(counts);
  const settled = completed + failed + cancelled;
  const times = { waitedMs: percentiles(waits), tookMs: percentiles(runs) };
  return { settled, completed, failed, cancelled, retried, ...times };
}

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
