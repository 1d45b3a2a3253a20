import type { RunContext } from '@rowlock/core';
import type { CallLimits } from './backoff.js';

/** What is left of the run's time for the database after the last call to Google, in ms. */
const MARGIN_MS = 1_000;

/** Bounds a call to Google by what is left of the run. */
export function googleLimits({
  signal,
  timeLeft,
}: Pick<RunContext<unknown>, 'signal' | 'timeLeft'>): CallLimits {
  return { signal, deadline: Date.now() + timeLeft() - MARGIN_MS };
}
