import type { Clock } from '../../clock.js';
import { within } from './within.js';

/** One turn at a time. A turn lasts until it is given back. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves when it is the caller's turn.
   *
   * @returns gives it back
   */
  take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    return before.then(() => resolve);
  }

  /** Does some work in a turn of its own. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const giveBack = await this.take();
    try {
      return await work();
    } finally {
      giveBack();
    }
  }
}

/** The same, but no caller waits for a turn that lasts too long. */
export class TimedMutex {
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #turn = new Mutex();
  /** The current turn. */
  #now: { readonly since: number } | null = null;

  /** @param mostMs How long a turn may last while others wait, in milliseconds. */
  constructor(clock: Clock, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /**
   * Resolves when it is the caller's turn.
   *
   * @returns gives it back, may be called twice; null where the current turn lasts too long
   */
  async take(): Promise<(() => void) | null> {
    if (this.#leftMs <= 0) return null;
    const taking = this.#turn.take().then((giveBack) => this.#begin(giveBack));
    do {
      const giveBack = await within(this.#clock, this.#leftMs, taking);
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
}
