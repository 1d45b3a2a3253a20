import type { Clock } from '@rowlock/core';

/** How far the clock goes on with each ring, in milliseconds: a worker that was without a session by then is dead. */
const RING_MS = 1_000;

/** A clock that stands still until it is told that all its alarms ring. */
export class StillClock implements Clock {
  readonly #timers = new Set<() => void>();
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
    this.#timers.add(callback);
    return () => this.#timers.delete(callback);
  }

  get hasAlarms(): boolean {
    return this.#timers.size > 0;
  }

  ring(): void {
    this.#now += RING_MS;
    const due = [...this.#timers];
    this.#timers.clear();
    for (const callback of due) callback();
  }

  /** The next alarm that is set rings at once: for a pause in which nothing else happens. */
  hurry(): void {
    this.#hurries = true;
  }
}
