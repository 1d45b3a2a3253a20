import type { Sweep } from './sweep.js';

/** Sweeps of jobs that are apart from the others of their queues. */
export interface SweepSource {
  /** Whether it may have sweeps. */
  readonly isExpected: boolean;
  /** Whether all of its jobs that the last looks have found wait for a time, for which it has set an alarm. */
  readonly isWaiting: boolean;
  /**
   * Makes the sweeps of one round.
   *
   * @param sweep Makes a sweep, and closes it.
   * @param sweeps Receives the sweeps that have not failed.
   * @throws what a look or a sweep rejects with
   */
  round(sweep: (pass: Sweep) => Promise<unknown>, sweeps: Sweep[]): Promise<void>;
}
