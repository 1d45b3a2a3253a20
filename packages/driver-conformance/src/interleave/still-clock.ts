import type { Clock } from '@rowlock/core';

/** How far the clock goes on with each ring, in milliseconds: a worker that was without a session by then is dead. */
const RING_MS = 1_000;

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until `ring`. */
export class StillClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;
  #hurries = false;

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    if (ms === 0 || this.#hurries) {
      this.#hurries = false;
      queueMicrotask(callback);
      return () => {};
    }
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get hasAlarms(): boolean {
    return this.#timers.size > 0;
  }

  ring(): void {
    this.#now += RING_MS;
    const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
    if (next === undefined) return;
    this.#timers.delete(next);
    next.callback();
  }

  /** The next alarm that is set rings at once: for a pause in which nothing else happens. */
  hurry(): void {
    this.#hurries = true;
  }
}
