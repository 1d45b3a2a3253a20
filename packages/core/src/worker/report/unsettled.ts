import type { Clock } from '../../clock.js';
import type { Logger } from '../../logger.js';
import type { RunInfo } from '../run/run-info.js';
import { AGAIN_MS, kindOf } from './faults.js';

/**
 * Leases that cannot be settled, as while the database is away. They have a line when that begins, one a minute while it lasts, and one when a
 * lease is settled again, however many runs meet it. Every try is a line for debugging.
 */
export class Unsettled {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Until when a kind of error is not reported again, by the kind. */
  readonly #quiet = new Map<string, number>();
  #isReported = false;
  #since = 0;
  #tries = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  meet(error: unknown, info: RunInfo): void {
    const now = this.#clock.now();
    if (this.#tries === 0) this.#since = now;
    this.#tries += 1;
    const kind = kindOf(error);
    const isNews = now >= (this.#quiet.get(kind) ?? now);
    this.#isReported ||= isNews;
    if (isNews) this.#quiet.set(kind, now + AGAIN_MS);
    this.#log[isNews ? 'warn' : 'debug'](
      { err: error, ...info },
      'a lease could not be settled; trying again',
    );
  }

  /** A lease is settled. */
  over(info: RunInfo): void {
    if (!this.#isReported) return;
    this.#isReported = false;
    const facts = { ...info, tries: this.#tries, tookMs: Math.round(this.#clock.now() - this.#since) };
    this.#tries = 0;
    this.#log.warn(facts, 'leases are settled again');
  }
}
