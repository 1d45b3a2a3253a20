/**
 * The time that a worker uses for its own pauses, timeouts and measurements. The database's clock alone decides what is
 * due or expired.
 */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /**
   * Calls back once after `ms`, or at once if that has passed. The returned function cancels the call. Keeps no process
   * alive.
   */
  after(ms: number, callback: () => void): () => void;
}

/** The longest delay that a Node timer takes. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    // Node warns of a negative delay.
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
