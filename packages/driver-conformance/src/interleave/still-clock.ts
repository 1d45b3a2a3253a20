import type { Clock } from '@rowlock/core';

/** A clock that stands still until it is told that all its alarms ring. */
export class StillClock implements Clock {
  readonly #timers = new Set<() => void>();

  now(): number {
    return 0;
  }

  after(_ms: number, callback: () => void): () => void {
    this.#timers.add(callback);
    return () => this.#timers.delete(callback);
  }

  get hasAlarms(): boolean {
    return this.#timers.size > 0;
  }

  ring(): void {
    const due = [...this.#timers];
    this.#timers.clear();
    for (const callback of due) callback();
  }
}
