import type { Clock } from '../../clock.js';

/** How long a worker must be without a session to count as dead, in milliseconds: one that lives is back sooner. */
const DEAD_AFTER_MS = 1_000;

/** The workers that were seen without a session, and since when. */
export class MissingWorkers {
  readonly #clock: Clock;
  readonly #gapMs: number;
  #since = new Map<string, number>();
  #looked = 0;

  /** @param everyMs How often one looks. */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#gapMs = Math.max(DEAD_AFTER_MS, 2 * everyMs);
  }

  /** Those that have been without one for long enough. */
  get dead(): readonly string[] {
    const now = this.#clock.now();
    if (this.#isLate(now)) return [];
    const until = now - DEAD_AFTER_MS;
    return [...this.#since].filter(([, since]) => since <= until).map(([worker]) => worker);
  }

  /**
   * Notes who is without a session now; whoever is not among them has come back.
   *
   * @param asked When the database was asked. An answer that takes longer than a second is a look that comes too late.
   */
  see(workers: readonly string[], asked: number): void {
    const now = this.#clock.now();
    const isLate = this.#isLate(asked) || now - asked > DEAD_AFTER_MS;
    const since = isLate ? new Map<string, number>() : this.#since;
    this.#since = new Map(workers.map((worker) => [worker, since.get(worker) ?? now]));
    this.#looked = now;
  }

  /** Who did not look for so long, a frozen process for one, cannot tell who was back meanwhile. */
  #isLate(now: number): boolean {
    return now - this.#looked > this.#gapMs;
  }
}
