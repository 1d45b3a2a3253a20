import type { Stored } from '@rowlock/core';
import type { RunRow } from '../../src/views.js';

export type Run = Stored<RunRow>;

/** A time that is replayed, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export function startOf({ startedAt }: Run): number {
  return Date.parse(startedAt);
}

/** When a run ended. A run that goes on has no end, and a crash that nobody has met ends where it began. */
export function endOf({ startedAt, finishedAt, outcome }: Run): number {
  if (finishedAt !== null) return Date.parse(finishedAt);
  return outcome === 'running' ? Number.POSITIVE_INFINITY : Date.parse(startedAt);
}

/** The times at which something began or ended, in order. */
export function eventsOf(runs: readonly Run[], { from, until }: Span): readonly number[] {
  const times = runs.flatMap((run) => [startOf(run), endOf(run)]);
  return [...new Set(times)].filter((time) => time >= from && time <= until).toSorted((a, b) => a - b);
}

export function workerOf({ worker, host }: Run): string {
  return worker ?? host ?? 'a worker that is gone';
}
