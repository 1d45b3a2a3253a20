import type { Clock } from '../../clock.js';

/** Calls back once, at the earliest of the times that were set since its last call. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings in `ms` milliseconds at the latest. */
  within(ms: number): void {
    const at = this.#clock.now() + ms;
    if (at >= this.#at) return;
    this.#cancel();
    this.#at = at;
    this.#cancel = this.#clock.after(ms, () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel();
    this.#at = Number.POSITIVE_INFINITY;
  }
}
