import type { Clock } from '../../clock.js';

/** Writes the newest of many values: one write at a time, with a pause before each. Values in between are dropped. */
export class Throttle<Value> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #write: (value: Value) => Promise<void>;
  #newest: { readonly value: Value } | null = null;
  /** The write that goes on. */
  #writing: Promise<void> | null = null;
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

  /** Drops the value that is not written yet. Resolves when no write goes on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#writing;
  }

  #wait(): void {
    if (this.#stopped || this.#writing !== null || this.#newest === null) return;
    this.#cancelTimer ??= this.#clock.after(this.#everyMs, () => this.#begin());
  }

  #begin(): void {
    this.#cancelTimer = null;
    if (this.#newest === null) return;
    const { value } = this.#newest;
    this.#newest = null;
    this.#writing = this.#write(value).then(() => {
      this.#writing = null;
      this.#wait();
    });
  }
}
