import type { Clock } from '../../clock.js';

/** Writes the newest of what changes all the time: after a while, one write at a time, and nothing in between. */
export class NewestOnly<Value> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #write: (value: Value) => Promise<void>;
  #newest: { readonly value: Value } | null = null;
  #isWriting = false;
  #cancelTimer: (() => void) | null = null;
  #stopped = false;

  /**
   * @param everyMs How long after a change, or after the write before, the newest value is written, in milliseconds.
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

  /** What is left is not written any more. */
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
