import type { Duration } from '@rowlock/core';
import { milliseconds } from '@rowlock/core/driver';

/** The database's clock. It decides what is due; it shows real time until a test moves it. */
export interface MemoryClock {
  /** Milliseconds since 1970, whole. */
  now(): number;
  /** Puts the clock forward and wakes all workers: jobs that are due by then are served. */
  advance(by: Duration): void;
  /** Stops the clock: from now on `advance` alone moves it. */
  freeze(): void;
}

/** Taken before a test can replace it: fake timers move what runs in the process, not its database. */
const elapsedMs = performance.now.bind(performance);

export function memoryClock(onAdvance: () => void): MemoryClock {
  let ahead = 0;
  let frozenAt: number | undefined;
  const real = (): number => performance.timeOrigin + elapsedMs();
  return {
    now: () => Math.floor((frozenAt ?? real()) + ahead),
    advance(by) {
      ahead += milliseconds(by, 'by');
      onAdvance();
    },
    freeze() {
      frozenAt ??= real();
    },
  };
}
