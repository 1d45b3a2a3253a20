import { within } from './http/within.js';

/**
 * How long a look is new enough for others, in milliseconds. At least 29 times as long as the quicker of the last two took: so
 * looks take a thirtieth of the time on a database that stays slow. One slow look does not count: the first of all waits for
 * the server's caches.
 */
const NEW_MS = 2_000;
const TIMES_TOOK = 29;

/** How long others wait for a look that was begun, in milliseconds. A connection that goes silent may never end, and lists have no bound. */
const LOST_MS = 60_000;

/** One look at the database for all viewers. It is made at a call, so an unused dashboard reads nothing. */
export class SharedLook<Found> {
  readonly #look: () => Promise<Found>;
  #found: { readonly value: Found; readonly until: number } | null = null;
  #lastTookMs = 0;
  #pending: Promise<Found> | null = null;
  #begunAt = 0;

  constructor(look: () => Promise<Found>) {
    this.#look = look;
  }

  /** @throws Problem 503 when it takes too long; what the look throws. */
  async get(): Promise<Found> {
    if (this.#found !== null && performance.now() < this.#found.until) return this.#found.value;
    // A look that takes too long is not made a second time beside it.
    if (this.#pending === null || performance.now() - this.#begunAt >= LOST_MS) this.#pending = this.#begin();
    return within('The database', this.#pending);
  }

  /** The next look is a new one, as something was changed. */
  forget(): void {
    this.#found = null;
    this.#pending = null;
  }

  #begin(): Promise<Found> {
    const begun = performance.now();
    this.#begunAt = begun;
    const pending = this.#look().then(
      (value) => {
        const now = performance.now();
        const tookMs = now - begun;
        const until = now + Math.max(NEW_MS, Math.min(tookMs, this.#lastTookMs) * TIMES_TOOK);
        this.#lastTookMs = tookMs;
        if (this.#pending === pending) this.#found = { value, until };
        this.#end(pending);
        return value;
      },
      (error: unknown) => {
        this.#end(pending);
        throw error;
      },
    );
    return pending;
  }

  #end(pending: Promise<Found>): void {
    if (this.#pending === pending) this.#pending = null;
  }
}
