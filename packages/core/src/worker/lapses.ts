import type { Clock } from '../clock.js';

/** How long a worker must be without a session to count as dead, in milliseconds: one that lives is back sooner. */
const DEAD_AFTER_MS = 1_000;

/** The workers that were seen without a session, and since when. */
export class Lapses {
  readonly #clock: Clock;
  #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that have been without one for long enough. */
  get dead(): readonly string[] {
    const until = this.#clock.now() - DEAD_AFTER_MS;
    return [...this.#since].filter(([, since]) => since <= until).map(([worker]) => worker);
  }

  /** Notes who is without a session now; whoever is not among them has come back. */
  see(workers: readonly string[]): void {
    const now = this.#clock.now();
    this.#since = new Map(workers.map((worker) => [worker, this.#since.get(worker) ?? now]));
  }
}
