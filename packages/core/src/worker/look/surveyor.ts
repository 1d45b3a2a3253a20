import type { Clock } from '../../clock.js';
import type { Driver, Lanes } from '../../driver/driver.js';
import { Alarm } from '../time/alarm.js';
import type { Cancellations } from './cancellations.js';
import { MissingWorkers } from './missing-workers.js';
import { Pace } from './pace.js';
import { longestPauseMs, type ScanPosition } from './scan-position.js';

/**
 * How long a survey is put off while slots work, and how long it may take and not count as slow, in milliseconds.
 * It is not put off much longer, as a handler may run for minutes.
 */
const SOON_MS = 25;

export interface SurveyorParts {
  readonly driver: Pick<Driver, 'survey' | 'reclaim'>;
  readonly lanes: Lanes;
  readonly clock: Clock;
  readonly cancellations: Pick<Cancellations, 'retry'>;
  /** By queue. */
  readonly positions: ReadonlyMap<string, ScanPosition>;
  /** Rings when the worker is to look again. */
  readonly alarm: Alarm;
  readonly pollMs: number;
  readonly watchMs: number;
  /** Whether all slots are busy, so that none comes to a survey. */
  readonly busy: () => boolean;
  /** Called when there is something to look for. */
  readonly wake: () => void;
  /** Called when a survey that no slot waits for is over. */
  readonly done: () => void;
  /** Called when a survey or a reclaim that no slot waits for has failed. */
  readonly onFault: (error: unknown) => void;
}

/** A survey that goes on. */
interface Survey {
  /** Whether a due job that it finds is a reason to look again. */
  readonly looksAgain: boolean;
  /** Whether another survey was called for since. */
  isOutdated: boolean;
}

/**
 * Decides when an idle worker looks again. A survey makes delayed jobs due, puts back what dead workers have leased, cancels
 * what could not be cancelled at first, and sets the alarm for what comes next.
 *
 * One survey or reclaim goes on at a time. Surveys may be far apart, as all slots are busy or a look at all jobs takes long.
 * Leases of dead workers are looked for in between.
 */
export class Surveyor {
  readonly #parts: SurveyorParts;
  readonly #pace: Pace;
  readonly #missing: MissingWorkers;
  /** Rings for a survey that was put off. */
  readonly #putOff: Alarm;
  /** Rings for a reclaim while all slots are busy. */
  readonly #watch: Alarm;
  /** What goes on, or waits to. */
  #last: Promise<unknown> = Promise.resolve();
  #current: Survey | null = null;
  /** The survey that waits for the current one or for a reclaim. */
  #next: Promise<boolean> | null = null;
  /** Whether a due job that the next survey finds is a reason to look again. */
  #looksAgain = false;
  /** When the next survey is due at the latest. */
  #dueAt = Number.NEGATIVE_INFINITY;
  /** When the next reclaim is due; never while no worker has a lease. */
  #reclaimAt = Number.POSITIVE_INFINITY;
  #isReclaiming = false;
  #isStopped = false;

  constructor(parts: SurveyorParts) {
    const { clock, watchMs, pollMs, onFault, done } = parts;
    this.#parts = parts;
    this.#pace = new Pace(pollMs);
    this.#missing = new MissingWorkers(clock, watchMs);
    this.#putOff = new Alarm(clock, () => void this.now().catch(onFault).finally(done));
    this.#watch = new Alarm(clock, () => {
      if (parts.busy()) this.#reclaimAlone().catch(onFault);
    });
  }

  /** Whether a survey goes on, or was made so lately that the next one is put off. */
  get isRecent(): boolean {
    return this.#current !== null || this.#pace.leftMs(this.#parts.clock.now()) > 0;
  }

  /** Whether a survey goes on, or surveys take long. */
  get isSlow(): boolean {
    return this.#current !== null || this.#pace.typicalMs > SOON_MS;
  }

  /** Whether a survey that is put off, or goes on, may be a reason to look again. */
  get mayLookAgain(): boolean {
    return this.#looksAgain || this.#current?.looksAgain === true;
  }

  /**
   * Makes a survey. All who call before it begins share it.
   *
   * @returns whether a due job is in the table, locked or not @throws DriverError
   */
  now(): Promise<boolean> {
    this.#putOff.stop();
    this.#next ??= this.#alone(() => this.#begin());
    return this.#next;
  }

  /**
   * Puts a survey off, for a moment or until the pause after the last one is over. It is made beside the slots.
   *
   * @param looksAgain Whether a due job that it finds is a reason to look again.
   */
  soon(looksAgain = false): void {
    if (this.#isStopped) return;
    this.#looksAgain ||= looksAgain;
    // The pause after the current one is not known yet.
    if (this.#current !== null) this.#current.isOutdated = true;
    else this.#putOff.within(Math.max(SOON_MS, this.#pace.leftMs(this.#parts.clock.now())));
  }

  /** In place of a survey, where looks at all jobs take long: the parts of it that are due, but for the look at all jobs. */
  async between(): Promise<void> {
    const { clock, cancellations, alarm, watchMs } = this.#parts;
    if (clock.now() >= this.#dueAt) this.soon();
    else alarm.within(this.#dueAt - clock.now());
    if (await cancellations.retry()) alarm.within(watchMs);
    if (this.#reclaimAt === Number.POSITIVE_INFINITY) return;
    if (clock.now() >= this.#reclaimAt) await this.#reclaimAlone();
    alarm.within(watchMs);
  }

  /** All slots may be busy: leases of dead workers are looked for beside them. */
  watch(): void {
    if (!this.#isStopped && this.#parts.busy()) this.#watch.within(this.#parts.watchMs);
  }

  /** A slot is free. */
  unwatch(): void {
    this.#watch.stop();
  }

  /** Resolves when nothing goes on any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#putOff.stop();
    this.#watch.stop();
    await this.#last;
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #begin(): Promise<boolean> {
    this.#next = null;
    if (this.#isStopped) return false;
    const survey: Survey = { looksAgain: this.#looksAgain, isOutdated: false };
    this.#looksAgain = false;
    this.#current = survey;
    try {
      return await this.#survey(survey);
    } finally {
      this.#current = null;
      if (survey.isOutdated) this.soon();
    }
  }

  async #survey({ looksAgain }: Survey): Promise<boolean> {
    const { driver, lanes, clock, cancellations, positions, alarm, pollMs, watchMs, wake } = this.#parts;
    const began = clock.now();
    this.#pace.pause(SOON_MS, began);
    const { promoted, nextDueMs, waiting, leased } = await driver.survey(lanes);
    const now = clock.now();
    this.#pace.took(now - began, now);
    for (const position of positions.values()) position.surveyed(this.#pace.typicalMs, now);
    this.#dueAt = now + Math.max(this.#pace.leftMs(now), Math.min(pollMs, nextDueMs ?? pollMs));
    if (promoted > 0 || (waiting && looksAgain)) wake();
    if (nextDueMs !== null && nextDueMs < pollMs) alarm.within(nextDueMs);
    // Another worker holds the due job. If that worker dies, no wake-up comes.
    if (waiting) alarm.within(Math.max(watchMs, longestPauseMs(positions, now)));
    this.#reclaimAt = leased ? now : Number.POSITIVE_INFINITY;
    if (leased) {
      await this.#reclaim();
      alarm.within(watchMs);
    }
    if (await cancellations.retry()) alarm.within(watchMs);
    return waiting;
  }

  /** Between two surveys. A slot that comes while another one does so does not wait. */
  async #reclaimAlone(): Promise<void> {
    if (this.#isReclaiming) return;
    this.#isReclaiming = true;
    try {
      await this.#alone(async () => {
        await this.#reclaim();
        await this.#parts.cancellations.retry();
      });
    } finally {
      this.#isReclaiming = false;
    }
  }

  /** Puts back what dead workers have leased. */
  async #reclaim(): Promise<void> {
    const { driver, lanes, clock, watchMs, wake } = this.#parts;
    const began = clock.now();
    this.#reclaimAt = Math.max(this.#reclaimAt, began + watchMs);
    const { reclaimed, lapsed } = await driver.reclaim({ queues: lanes.queues, dead: this.#missing.dead });
    this.#missing.update(lapsed, began);
    if (reclaimed > 0) wake();
    this.#watch.stop();
    this.watch();
  }
}
