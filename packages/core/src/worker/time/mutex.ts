import type { Clock } from '../../clock.js';

/** One at a time: whoever takes a turn has it until they give it back, and the next one's begins. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. @returns gives it back */
  take(): Promise<() => void> {
    const before = this.#last;
    let giveBack = (): void => {};
    this.#last = new Promise((resolve) => {
      giveBack = resolve;
    });
    return before.then(() => giveBack);
  }
}

/** The same, but nobody waits for whoever has had their turn for too long. */
export class TimedMutex {
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #turn = new Mutex();
  /** The turn that somebody has. */
  #now: { readonly since: number } | null = null;

  /** @param mostMs How long somebody may have it while others wait. */
  constructor(clock: Clock, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /** Resolves when it is the caller's turn. @returns gives it back, may be called twice; null while somebody has it for too long */
  async take(): Promise<(() => void) | null> {
    if (this.#leftMs <= 0) return null;
    const taking = this.#turn.take().then((giveBack) => this.#begin(giveBack));
    do {
      const giveBack = await this.#within(this.#leftMs, taking);
      if (giveBack !== null) return giveBack;
    } while (this.#leftMs > 0);
    void taking.then((giveBack) => giveBack());
    return null;
  }

  get #leftMs(): number {
    return this.#now === null ? this.#mostMs : this.#now.since + this.#mostMs - this.#clock.now();
  }

  #begin(giveBack: () => void): () => void {
    const own = { since: this.#clock.now() };
    this.#now = own;
    return () => {
      if (this.#now === own) this.#now = null;
      giveBack();
    };
  }

  #within<Value>(ms: number, value: Promise<Value>): Promise<Value | null> {
    return new Promise((resolve) => {
      const stopTimer = this.#clock.after(ms, () => resolve(null));
      void value.then((one) => {
        stopTimer();
        resolve(one);
      });
    });
  }
}
