import type { Clock } from '@rowlock/core';

/** Time that goes on by `advance` alone. */
export class HandClock implements Clock {
  readonly #timers = new Set<{ readonly at: number; readonly ring: () => void }>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): () => void {
    const timer = { at: this.#now + ms, ring };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at <= this.#now && this.#timers.delete(timer)) timer.ring();
    }
  }
}
