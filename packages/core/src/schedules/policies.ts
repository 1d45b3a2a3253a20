import type { Missed, Overlap } from '../driver/schedule-store.js';

export const OVERLAPS: readonly Overlap[] = ['skip', 'queue', 'allow'];

/** The most ticks that `missed: { all }` enqueues. */
export const MOST_MISSED = 1_000;

export function isOverlap(overlap: unknown): overlap is Overlap {
  return OVERLAPS.some((each) => each === overlap);
}

export function isMissed(missed: unknown): missed is Missed {
  if (missed === 'skip' || missed === 'once') return true;
  const max: unknown = Object(Object(missed).all).max;
  return typeof max === 'number' && Number.isSafeInteger(max) && max >= 1 && max <= MOST_MISSED;
}
