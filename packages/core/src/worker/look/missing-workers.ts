import type { Clock } from '../../clock.js';

/**
 * How long a worker must be without a session to count as dead, in milliseconds. A live worker opens another session
 * sooner.
 */
const DEAD_AFTER_MS = 1_000;

/** The workers that were seen without a session, and since when. */
export class MissingWorkers {
  readonly #clock: Clock;
  readonly #gapMs: number;
  #since = new Map<string, number>();
  #updatedAt = 0;

  /** @param everyMs How often the workers are looked for. */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#gapMs = Math.max(DEAD_AFTER_MS, 2 * everyMs);
  }

  get dead(): readonly string[] {
    const now = this.#clock.now();
    if (this.#isLate(now)) return [];
    const until = now - DEAD_AFTER_MS;
    return [...this.#since].filter(([, since]) => since <= until).map(([worker]) => worker);
  }

  /**
   * @param workers The workers without a session now. The others have come back.
   * @param began When the query for the workers was sent. An answer after more than a second is too old.
   */
  update(workers: readonly string[], began: number): void {
    const now = this.#clock.now();
    const isLate = this.#isLate(began) || now - began > DEAD_AFTER_MS;
    const since = isLate ? new Map<string, number>() : this.#since;
    this.#since = new Map(workers.map((worker) => [worker, since.get(worker) ?? now]));
    this.#updatedAt = now;
  }

  /** In a longer gap, as of a frozen process, a worker may have been back unseen. */
  #isLate(now: number): boolean {
    return now - this.#updatedAt > this.#gapMs;
  }
}
