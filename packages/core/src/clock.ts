/**
 * The time as a worker sees it: for its own pauses, timeouts and measurements. What is due or expired is
 * always decided by the database's clock.
 */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Calls back once after `ms`, unless the returned function is called before. Keeps no process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest delay that a Node timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
