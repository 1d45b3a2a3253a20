import type { Clock } from '../../clock.js';

/** Writes the newest of many values: one write at a time, with a pause before each. Values in between are dropped. */
export class Throttle<Value> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #write: (value: Value) => Promise<void>;
  #newest: { readonly value: Value } | null = null;
  #isWriting = false;
  #cancelTimer: (() => void) | null = null;
  #stopped = false;

  /**
   * @param everyMs The pause after a change, or after the write before, in milliseconds.
   * @param write Never rejects.
   */
  constructor(clock: Clock, everyMs: number, write: (value: Value) => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#write = write;
  }

  put(value: Value): void {
    this.#newest = { value };
    this.#wait();
  }

  /** Drops the value that is not written yet. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  #wait(): void {
    if (this.#stopped || this.#isWriting || this.#newest === null) return;
    this.#cancelTimer ??= this.#clock.after(this.#everyMs, () => this.#begin());
  }

  #begin(): void {
    this.#cancelTimer = null;
    if (this.#newest === null) return;
    const { value } = this.#newest;
    this.#newest = null;
    this.#isWriting = true;
    void this.#write(value).then(() => {
      this.#isWriting = false;
      this.#wait();
    });
  }
}
