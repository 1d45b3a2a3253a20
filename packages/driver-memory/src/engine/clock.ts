import type { Duration } from '@rowlock/core';
import { milliseconds } from '@rowlock/core/driver';

/** The database's clock, which decides when a job is due. The clock shows real time until a test moves it. */
export interface MemoryClock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Puts the clock forward and wakes all workers, which then claim the jobs that have become due. */
  advance(by: Duration): void;
  /** Stops the clock. From then on only `advance` moves it. */
  freeze(): void;
}

/** Taken before a test can replace it. Fake timers then move the process's time, and not the database's. */
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
