import { inCleanContext } from '../clean-context.js';
import type { Settlement } from '../driver/claim-session.js';
import type { Uses } from '../driver/driver.js';
import { type Admitted, type FollowersLook, MOST_FOLLOWED } from '../driver/followers.js';
import type { Survey } from '../driver/survey.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { Job } from '../job/job.js';
import { isSettled, TRANSITIONS } from '../job/lifecycle.js';
import type { Part, PartContext } from '../worker/part.js';
import { RefusedJobs } from '../worker/refused-jobs.js';
import { Alarm } from '../worker/time/alarm.js';

/** How long this worker takes a wake-up for the sign that jobs wait for others, in milliseconds. A survey says it then. */
const SIGN_MS = 60_000;

/** How long a look is put off that is not behind a settlement, in milliseconds. All workers get the same wake-up. */
const SOON_MS = 50;

/** How long a worker waits for its first survey, in milliseconds. A survey may find that no job waits. */
const SURVEY_MS = 1_000;

/** The pause between two looks at all waiting jobs, in times of their duration. */
const TIMES = 20;

export interface FollowersParts extends Pick<PartContext, 'clock' | 'log' | 'worker' | 'pollMs'> {
  readonly driver: Uses<{ followers: 'admit'; workers: 'notify' }>;
}

/**
 * Lets jobs go that wait for others (`after`), beside the slots. A worker looks for those that wait for the jobs that it
 * has settled, behind their commit. While no job waits for others, it has nothing to look for. All waiting jobs are
 * looked at from time to time: a worker may die in between.
 */
export class Followers implements Part {
  readonly #parts: FollowersParts;
  readonly #after = new Set<string>();
  readonly #soon: Alarm;
  readonly #refused: RefusedJobs;
  /** Whether a job waits, as the last survey has found. Undefined before the first one. */
  #any: boolean | undefined;
  #signUntil = Number.NEGATIVE_INFINITY;
  #nextAllAt = Number.NEGATIVE_INFINITY;
  #looksAtAll = false;
  #current: Promise<void> | null = null;
  #isStopped = false;

  constructor(parts: FollowersParts) {
    this.#parts = parts;
    this.#soon = new Alarm(parts.clock, () => this.#look());
    this.#refused = new RefusedJobs(parts, 'the database refuses to let go a job that waited for others');
  }

  settled(jobs: readonly Job[], settlements: readonly Settlement[]): void {
    if (!this.#mayBe) return;
    for (const [place, { publicId }] of jobs.entries()) {
      const event = settlements[place]?.event;
      if (event !== undefined && isSettled(TRANSITIONS[event].to)) this.#after.add(publicId);
    }
    if (this.#after.size === 0) return;
    if (this.#any === undefined) this.#lookSoon(SURVEY_MS);
    else this.#look();
  }

  /** A job waits for the one that is named, which may have ended before the waiting one was committed. */
  wakeUp(wakeUp: WakeUp): void {
    if (!('after' in wakeUp)) return;
    this.#signUntil = this.#parts.clock.now() + SIGN_MS;
    this.#after.add(wakeUp.after);
    this.#lookSoon();
  }

  surveyed({ followers: any }: Pick<Survey, 'followers'>): void {
    this.#any = any;
    if (!this.#mayBe) this.#after.clear();
    else this.#look();
    if (!any || this.#parts.clock.now() < this.#nextAllAt) return;
    this.#looksAtAll = true;
    this.#look();
  }

  /** Looks for what was settled until now. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#soon.stop();
    await this.#current;
    if (this.#mayBe && this.#after.size > 0) this.#look();
    await this.#current;
  }

  get #mayBe(): boolean {
    return this.#any !== false || this.#parts.clock.now() <= this.#signUntil;
  }

  #lookSoon(ms = SOON_MS): void {
    if (!this.#isStopped) this.#soon.within(ms);
  }

  #look(): void {
    // A look that has nothing to wait for would end before it is noted as the current one.
    if (this.#after.size === 0 && !this.#looksAtAll) return;
    this.#current ??= inCleanContext(() => this.#lookWhileNeeded());
  }

  async #lookWhileNeeded(): Promise<void> {
    const { log } = this.#parts;
    const again: string[] = [];
    try {
      for (let next = this.#next(); next.length > 0; next = this.#next()) {
        const { skipped } = await this.#admit({ after: next });
        if (skipped) again.push(...next);
      }
      if (this.#looksAtAll) await this.#lookAtAll();
    } catch (error) {
      log.debug({ err: error }, 'a look for jobs that wait for others failed; another one follows');
      this.#nextAllAt = Number.NEGATIVE_INFINITY;
    } finally {
      // At once: a later call would be lost.
      this.#current = null;
    }
    for (const publicId of again) this.#after.add(publicId);
    if (this.#after.size > 0) this.#lookSoon();
  }

  async #lookAtAll(): Promise<void> {
    const { clock, pollMs } = this.#parts;
    const began = clock.now();
    this.#looksAtAll = false;
    let beyond: string | null = '00000000-0000-0000-0000-000000000000';
    let hasSkipped = false;
    while (beyond !== null && !this.#isStopped) {
      const { last, skipped } = await this.#admit({ beyond });
      beyond = last;
      hasSkipped ||= skipped;
    }
    this.#looksAtAll = hasSkipped;
    if (hasSkipped) this.#lookSoon();
    this.#nextAllAt = clock.now() + Math.max(pollMs, TIMES * (clock.now() - began));
  }

  #next(): readonly string[] {
    const next = [...this.#after].slice(0, MOST_FOLLOWED);
    for (const publicId of next) this.#after.delete(publicId);
    return next;
  }

  async #admit(look: FollowersLook): Promise<Admitted> {
    const { driver } = this.#parts;
    const admitted = await driver.followers.admit(look, this.#refused.except);
    this.#refused.add(admitted.refused);
    const { queues } = admitted;
    if (queues.length > 0) await driver.workers.notify(queues.map((queue) => ({ queue })));
    return admitted;
  }
}
