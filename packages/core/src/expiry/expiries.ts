import { hostname } from 'node:os';
import { inCleanContext } from '../clean-context.js';
import { apart } from '../driver/apart.js';
import type { Uses } from '../driver/driver.js';
import { MOST_EXPIRED } from '../driver/expiry.js';
import type { Survey } from '../driver/survey.js';
import { EXPIRED } from '../job/expires.js';
import type { Part, PartContext } from '../worker/part.js';
import { RefusedJobs } from '../worker/refused-jobs.js';

/** The least pause between two looks, in milliseconds: a job that is held stays for the next one. */
const PAUSE_MS = 1_000;

/** The longest time until the next look, in milliseconds, while a time is still to come. */
const LONGEST_MS = 60_000;

export interface ExpiriesParts extends Pick<PartContext, 'clock' | 'log' | 'worker' | 'alarm' | 'stopping'> {
  readonly driver: Uses<{ expiry: 'over' | 'cancel'; followers: 'admit'; workers: 'notify' }>;
}

/**
 * Cancels waiting jobs whose time is over (`expires`), beside the slots. A claim finds that out by itself: this is for jobs
 * that nobody claims. Any worker cancels the jobs of any queue.
 */
export class Expiries implements Part {
  readonly #parts: ExpiriesParts;
  readonly #refused: RefusedJobs;
  #nextAt = Number.NEGATIVE_INFINITY;
  #current: Promise<void> | null = null;

  constructor(parts: ExpiriesParts) {
    this.#parts = parts;
    this.#refused = new RefusedJobs(parts, 'the database refuses to cancel a job whose time is over');
  }

  surveyed({ nextExpiryMs }: Pick<Survey, 'nextExpiryMs'>): void {
    if (nextExpiryMs === null || this.#parts.stopping.aborted) return;
    const ms = Math.max(nextExpiryMs, this.#nextAt - this.#parts.clock.now());
    if (ms <= 0) this.#look();
    else this.#parts.alarm.within(Math.min(ms, LONGEST_MS));
  }

  async stop(): Promise<void> {
    await this.#current;
  }

  #look(): void {
    this.#current ??= inCleanContext(() => this.#cancelWhileNeeded());
  }

  async #cancelWhileNeeded(): Promise<void> {
    const { clock, log, stopping } = this.#parts;
    const held: string[] = [];
    try {
      while (!stopping.aborted && (await this.#cancelSome(held)));
    } catch (error) {
      log.debug({ err: error }, 'a look for jobs whose time is over failed; another one follows');
    } finally {
      // At once: a later call would be lost.
      this.#current = null;
      this.#nextAt = clock.now() + PAUSE_MS;
    }
  }

  /**
   * Returns whether there are more.
   *
   * @param held Receives those that other transactions have, so that the next step looks beyond them.
   */
  async #cancelSome(held: string[]): Promise<boolean> {
    const { driver, log, alarm } = this.#parts;
    const over = await driver.expiry.over({ except: [...this.#refused.except, ...held] });
    const { answers, refused } = await apart(over, (some) => driver.expiry.cancel(some, EXPIRED, hostname()));
    this.#refused.add(refused);
    const cancelled = new Set(answers.flat());
    const isMore = over.length === MOST_EXPIRED;
    if (cancelled.size < over.length) alarm.within(PAUSE_MS);
    held.push(...over.filter((publicId) => !cancelled.has(publicId)));
    if (cancelled.size === 0) return isMore;
    log.debug({ jobs: cancelled.size }, 'cancelled jobs whose time was over');
    const { queues } = await driver.followers.admit({ after: [...cancelled] });
    if (queues.length > 0) await driver.workers.notify(queues.map((queue) => ({ queue })));
    return isMore;
  }
}
