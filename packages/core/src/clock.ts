/**
 * The time as a worker sees it: for its own pauses, timeouts and measurements. What is due or expired is
 * always decided by the database's clock.
 */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Calls back once after `ms`, at once if that has passed, unless the returned function is called before. Keeps no process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest delay that a Node timer takes. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    // Of a time that has passed Node would warn.
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
