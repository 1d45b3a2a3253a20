import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Lanes } from '../../driver/survey.js';
import { Alarm } from '../time/alarm.js';
import type { Cancellations } from './cancellations.js';
import { MissingWorkers } from './missing-workers.js';
import { longestRestMs, type ScanPosition } from './scan-position.js';
import { UsualTime } from './usual-time.js';

/** How long a survey is put off at least while others work, in milliseconds; not much longer, as a handler may run for minutes. */
const SOON_MS = 25;

export interface SurveyorParts {
  readonly driver: Pick<Driver, 'survey' | 'reclaim'>;
  readonly lanes: Lanes;
  readonly clock: Clock;
  readonly cancellations: Pick<Cancellations, 'ask'>;
  /** By queue. */
  readonly low: ReadonlyMap<string, ScanPosition>;
  /** Is set for what there is to wait for. */
  readonly alarm: Alarm;
  readonly pollMs: number;
  readonly watchMs: number;
  /** Whether no slot is free to look, and so none comes to a survey. */
  readonly busy: () => boolean;
  /** Called when there is something to look for. */
  readonly wake: () => void;
  /** Called when a survey that no slot waits for is over. */
  readonly done: () => void;
  /** Called when a survey that nobody waits for has failed. */
  readonly onFault: (error: unknown) => void;
}

/** How many times as long as surveys take none is made that may be put off: among dead rows that an old snapshot keeps one takes long. */
const REST = 9;

/**
 * Asks the database what there is to wait for, when a look has found no more: lets delayed jobs become due, puts back what dead
 * workers have leased, cancels what was held when it was to be, and sets the alarm. One survey at a time. Where none comes for long, as all slots
 * are busy or looking at all jobs takes long, what dead workers have leased is put back without one.
 */
export class Surveyor {
  readonly #parts: SurveyorParts;
  readonly #missing: MissingWorkers;
  readonly #watch: Alarm;
  #last: Promise<unknown> = Promise.resolve();
  #isReclaimDue = false;
  /** Whether anybody had a lease at the last survey. */
  #isLeased = false;
  /** Whether a slot looks for dead workers' leases between two surveys: the others need not wait for it. */
  #isReclaiming = false;
  /** When dead workers' leases were last looked for. */
  #reclaimed = Number.NEGATIVE_INFINITY;
  /** Whether to look for what the next survey finds due, and for what the one that goes on does. */
  #looks = false;
  #looksNow = false;
  /** When the next survey may be made at the earliest that may be put off, and when it is to be made at the latest. */
  #restUntil = Number.NEGATIVE_INFINITY;
  readonly #usual = new UsualTime();
  #takesLong = false;
  /** The survey that waits for its turn. */
  #next: Promise<boolean> | null = null;
  /** Whether a survey goes on, and whether another one was asked for since. */
  #isOn = false;
  #isAsked = false;
  #dueAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | null = null;
  #stopped = false;

  constructor(parts: SurveyorParts) {
    this.#parts = parts;
    this.#missing = new MissingWorkers(parts.clock, parts.watchMs);
    this.#watch = new Alarm(parts.clock, () => this.#reclaimBeside());
  }

  /** Whether there is a survey now, or was one just now, by what they take: another one may be put off. */
  get isRecent(): boolean {
    return this.#isOn || this.#parts.clock.now() < this.#restUntil;
  }

  /** Whether there is one now, or they take long: there is very much to look at. */
  get isSlow(): boolean {
    return this.#isOn || this.#takesLong;
  }

  /** Whether there is still to be a look, if the survey that is to come, or the one that goes on, finds something due. */
  get mayLook(): boolean {
    return this.#looks || this.#looksNow;
  }

  /**
   * One that waits for its turn answers all who ask before it begins.
   *
   * @returns whether something due is in the table, locked or not @throws DriverError
   */
  now(): Promise<boolean> {
    this.#cancel();
    this.#next ??= this.#inTurn(() => this.#begin());
    return this.#next;
  }

  /**
   * In a moment, or when the last one is long enough ago, beside the slots, if there is none before.
   *
   * @param looks Whether there is to be a look if something due is in the table.
   */
  soon(looks = false): void {
    if (this.#stopped) return;
    this.#looks ||= looks;
    // How long it is to be put off is known when the one that goes on is over.
    this.#isAsked = this.#isOn;
    if (this.#isOn) return;
    const { clock, onFault, done } = this.#parts;
    this.#cancelTimer ??= clock.after(Math.max(SOON_MS, this.#restUntil - clock.now()), () => {
      this.now().catch(onFault).finally(done);
    });
  }

  /**
   * Where looking at all jobs takes long, and so a survey is far off: makes one if the last is long ago or a job is due, cancels what was
   * held when it was to be, and puts back what dead workers have leased, as long as anybody has a lease.
   */
  async meanwhile(): Promise<void> {
    const { clock, cancellations, alarm, watchMs } = this.#parts;
    if (clock.now() >= this.#dueAt) this.soon();
    else alarm.within(this.#dueAt - clock.now());
    if (await cancellations.ask()) alarm.within(watchMs);
    if (!this.#isLeased || this.#isReclaiming) return;
    if (clock.now() - this.#reclaimed >= watchMs) {
      this.#isReclaiming = true;
      await this.#inTurn(() => this.#reclaim()).finally(() => {
        this.#isReclaiming = false;
      });
    }
    alarm.within(watchMs);
  }

  /** As long as all slots are busy, dead workers' leases are looked for beside them. */
  watch(): void {
    if (!this.#stopped && this.#parts.busy()) this.#watch.within(this.#parts.watchMs);
  }

  /** A slot is free. */
  unwatch(): void {
    this.#watch.stop();
  }

  /** Resolves when the survey that is going on is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#watch.stop();
    await this.#last;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  async #begin(): Promise<boolean> {
    this.#next = null;
    if (this.#stopped) return false;
    this.#isOn = true;
    try {
      return await this.#survey();
    } finally {
      this.#isOn = false;
      this.#looksNow = false;
      if (this.#isAsked) this.soon();
    }
  }

  async #survey(): Promise<boolean> {
    const { driver, lanes, clock, cancellations, low, alarm, pollMs, watchMs, wake } = this.#parts;
    const began = clock.now();
    this.#restUntil = began + SOON_MS;
    this.#isAsked = false;
    this.#looksNow = this.#looks;
    this.#looks = false;
    const { promoted, nextDueMs, waiting, leased } = await driver.survey(lanes);
    const now = clock.now();
    const usualMs = this.#usual.took(now - began);
    for (const each of low.values()) each.surveyed(usualMs, now);
    this.#takesLong = usualMs > SOON_MS;
    const restMs = Math.max(now - began, REST * usualMs);
    this.#restUntil = Math.max(this.#restUntil, now + Math.min(pollMs, restMs));
    this.#dueAt = Math.max(this.#restUntil, now + Math.min(pollMs, nextDueMs ?? pollMs));
    if (promoted > 0 || (waiting && this.#looksNow)) wake();
    if (nextDueMs !== null && nextDueMs < pollMs) alarm.within(nextDueMs);
    // Somebody holds what is due. If that worker dies nobody tells, so look again soon.
    if (waiting) alarm.within(Math.max(watchMs, longestRestMs(low, now)));
    this.#isLeased = leased;
    // As long as anybody has a lease, look again soon.
    if (leased) {
      await this.#reclaim();
      alarm.within(watchMs);
    }
    if (await cancellations.ask()) alarm.within(watchMs);
    return waiting;
  }

  #reclaimBeside(): void {
    const { cancellations, busy, onFault } = this.#parts;
    if (this.#isReclaimDue || !busy()) return;
    this.#isReclaimDue = true;
    this.#inTurn(() => this.#reclaim().then(() => cancellations.ask()))
      .catch(onFault)
      .finally(() => {
        this.#isReclaimDue = false;
      });
  }

  /** Puts back what dead workers have leased. */
  async #reclaim(): Promise<void> {
    const { driver, lanes, clock, wake } = this.#parts;
    const asked = clock.now();
    this.#reclaimed = asked;
    const { reclaimed, missing } = await driver.reclaim({ queues: lanes.queues, dead: this.#missing.dead });
    this.#missing.see(missing, asked);
    if (reclaimed > 0) wake();
    this.#watch.stop();
    this.watch();
  }
}
