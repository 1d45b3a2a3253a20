import type { Clock } from '../../clock.js';
import type { Logger } from '../../logger.js';
import type { RunInfo } from '../run/run-info.js';
import { kindOf, News } from './news.js';

/**
 * Leases that cannot be settled, as while the database is away. They have a line when that begins, one a minute while it lasts, and one when a
 * lease is settled again, however many runs meet it. Every try is a line for debugging.
 */
export class Unsettled {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #news: News;
  #isReported = false;
  #since = 0;
  #tries = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#news = new News(clock);
  }

  meet(error: unknown, info: RunInfo): void {
    if (this.#tries === 0) this.#since = this.#clock.now();
    this.#tries += 1;
    const level = this.#news.isNew(kindOf(error)) ? 'warn' : 'debug';
    this.#isReported ||= level === 'warn';
    this.#log[level]({ err: error, ...info }, 'a lease could not be settled; trying again');
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
