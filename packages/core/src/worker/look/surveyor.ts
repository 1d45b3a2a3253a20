import type { Uses } from '../../driver/driver.js';
import type { PartContext } from '../part.js';
import type { Parts } from '../parts.js';
import { RefusedJobs } from '../refused-jobs.js';
import { Alarm } from '../time/alarm.js';
import { Mutex } from '../time/mutex.js';
import { Pace } from './pace.js';
import { longestPauseMs, type ScanPosition } from './scan-position.js';
import { Watch, type WatchParts } from './watch.js';

/**
 * How long a survey is put off while slots work, and how long it may take and not count as slow, in milliseconds.
 * It is not put off much longer, as a handler may run for minutes.
 */
const SOON_MS = 25;

export interface SurveyorParts extends WatchParts, Pick<PartContext, 'alarm' | 'pollMs'> {
  readonly driver: Uses<{ claims: 'survey' | 'reclaim' }>;
  readonly positions: ReadonlyMap<string, ScanPosition>;
  readonly parts: Pick<Parts, 'surveyed' | 'watch' | 'sources'>;
  /** Called when a survey that no slot waits for is over. */
  readonly done: () => void;
}

interface OpenSurvey {
  /** Whether a due job that it finds is a reason to look again. */
  readonly looksAgain: boolean;
  /** Whether another survey was called for since. */
  isOutdated: boolean;
}

/**
 * Decides when an idle worker looks again. A survey makes delayed jobs due, and sets the alarm for what comes next. One
 * survey goes on at a time. The longer surveys take, the further they are apart.
 */
export class Surveyor {
  /** The work that cannot wait for the next survey. */
  readonly watch: Watch;
  readonly #parts: SurveyorParts;
  readonly #mutex = new Mutex();
  readonly #pace: Pace;
  /** Rings for a survey that was put off. */
  readonly #putOff: Alarm;
  readonly #refused: RefusedJobs;
  #current: OpenSurvey | null = null;
  #next: Promise<boolean> | null = null;
  /** Whether a due job that the next survey finds is a reason to look again. */
  #looksAgain = false;
  #dueAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(parts: SurveyorParts) {
    this.#parts = parts;
    this.watch = new Watch(parts, this.#mutex);
    this.#pace = new Pace(parts.pollMs);
    this.#refused = new RefusedJobs(parts, 'the database refuses to make a delayed job due');
    this.#putOff = new Alarm(parts.clock, () => void this.now().catch(parts.onFault).finally(parts.done));
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
   * Makes a survey. All calls before it begins share it.
   *
   * @returns whether a due job is in the table, locked or not
   * @throws DriverError
   */
  now(): Promise<boolean> {
    this.#putOff.stop();
    this.#next ??= this.#mutex.run(() => this.#begin());
    return this.#next;
  }

  /**
   * Puts a survey off, for a moment or until the pause after the last one is over. The survey is made beside the slots.
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

  /** In place of a survey, after a round that has not come to all jobs. Makes no survey before one is due. */
  async between(): Promise<void> {
    const { clock, alarm, watchMs } = this.#parts;
    if (clock.now() >= this.#dueAt) this.soon();
    else alarm.within(this.#dueAt - clock.now());
    if (await this.watch.betweenSurveys()) alarm.within(watchMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#putOff.stop();
    this.watch.stop();
    await this.#mutex.run(async () => {});
  }

  async #begin(): Promise<boolean> {
    this.#next = null;
    if (this.#isStopped) return false;
    const survey: OpenSurvey = { looksAgain: this.#looksAgain, isOutdated: false };
    this.#looksAgain = false;
    this.#current = survey;
    try {
      return await this.#survey(survey);
    } finally {
      this.#current = null;
      if (survey.isOutdated) this.soon();
    }
  }

  async #survey({ looksAgain }: OpenSurvey): Promise<boolean> {
    const { driver, lanes, clock, positions, alarm, pollMs, watchMs, wake, parts } = this.#parts;
    const began = clock.now();
    this.#pace.pause(SOON_MS, began);
    const found = await driver.claims.survey(lanes, this.#refused.except);
    const { promoted, nextDueMs, unlimited, leased } = found;
    this.#refused.add(found.refused);
    const now = clock.now();
    this.#pace.took(now - began, now);
    for (const position of positions.values()) position.surveyed(this.#pace.typicalMs, now);
    this.#dueAt = now + Math.max(this.#pace.leftMs(now), Math.min(pollMs, nextDueMs ?? pollMs));
    parts.surveyed(found);
    const waiting = unlimited || (found.waiting && parts.sources.some(({ isWaiting }) => !isWaiting));
    if (promoted > 0 || (waiting && looksAgain)) wake();
    if (nextDueMs !== null && nextDueMs < pollMs) alarm.within(nextDueMs);
    const refusedMs = this.#refused.nextMs;
    if (refusedMs !== null) alarm.within(refusedMs);
    // Another worker holds the due job. If that worker dies, no wake-up comes.
    if (waiting) alarm.within(Math.max(watchMs, longestPauseMs(positions, now)));
    if (await this.watch.inSurvey(leased)) alarm.within(watchMs);
    return waiting;
  }
}
