import { inCleanContext } from '../clean-context.js';
import { apart } from '../driver/apart.js';
import type { Firing, ScheduleRow, ScheduleStore } from '../driver/schedule-store.js';
import type { Survey } from '../driver/survey.js';
import type { WakeUp } from '../driver/wake-up.js';
import { messageOf } from '../is-error.js';
import { GrowingDelay } from '../job/growing-delay.js';
import type { Part, PartContext } from '../worker/part.js';
import { kindOf, News } from '../worker/report/news.js';
import { SetAside } from '../worker/set-aside.js';
import { Alarm } from '../worker/time/alarm.js';
import { firingOf } from './firing.js';

/** How many schedules are fired at once, and about how many jobs. */
const AT_ONCE = 100;
const JOBS_AT_ONCE = 1_000;

/** The longest time until the next look, in milliseconds, while a schedule is to fire later. */
const LONGEST_MS = 60_000;

/** The most characters of what is noted of a schedule that cannot be fired. */
const LONGEST_NOTE = 1_000;

export interface TicksParts
  extends Pick<PartContext, 'clock' | 'log' | 'events' | 'worker' | 'stopping' | 'watchMs'> {
  readonly driver: { readonly schedules: Pick<ScheduleStore, 'due' | 'fire' | 'noteBroken'> };
  /** Whether the program declares schedules. Others are found by the first survey. */
  readonly isDeclared: boolean;
}

/**
 * Fires the schedules of the database, beside the slots: also while all slots are busy. Any worker fires any schedule,
 * and the one whose transaction comes first has the tick.
 */
export class Ticks implements Part {
  readonly #parts: TicksParts;
  readonly #alarm: Alarm;
  readonly #pause = new GrowingDelay(1_000, 30_000);
  readonly #news: News;
  /** The names of those that cannot be fired, or not by this worker. */
  readonly #aside: SetAside;
  #current: Promise<void> | null = null;
  #isOutdated = false;

  constructor(parts: TicksParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.#look());
    this.#news = new News(parts.clock);
    this.#aside = new SetAside(parts.clock);
  }

  start(): void {
    if (this.#parts.isDeclared) this.#look();
  }

  wakeUp(wakeUp: WakeUp): void {
    if (!('schedule' in wakeUp)) return;
    this.#aside.forget(wakeUp.schedule);
    this.#look();
  }

  surveyed({ nextTickMs }: Pick<Survey, 'nextTickMs'>): void {
    if (nextTickMs === null || this.#isOver || this.#current !== null) return;
    if (nextTickMs <= 0 && this.#aside.except.length === 0) this.#look();
    else this.#wait(nextTickMs);
  }

  async stop(): Promise<void> {
    this.#alarm.stop();
    await this.#current;
  }

  get #isOver(): boolean {
    return this.#parts.stopping.aborted;
  }

  /** Fires what is due. Calls while this goes on are one more look behind it. */
  #look(): void {
    this.#isOutdated = true;
    if (this.#isOver) return;
    this.#current ??= inCleanContext(() => this.#fireWhileNeeded());
  }

  async #fireWhileNeeded(): Promise<void> {
    const { log, events, worker } = this.#parts;
    try {
      while (this.#isOutdated && !this.#isOver) {
        this.#isOutdated = false;
        await this.#fireAll();
      }
      this.#pause.reset();
      this.#news.clear();
    } catch (error) {
      if (this.#news.isNew(kindOf(error)))
        log.warn({ err: error, worker }, 'firing schedules failed; trying again');
      events.emit('fault', error);
      this.#again(this.#pause.next());
    } finally {
      // At once: a later call would be lost.
      this.#current = null;
    }
  }

  async #fireAll(): Promise<void> {
    const { driver, watchMs } = this.#parts;
    while (!this.#isOver) {
      const { now, schedules: due, nextMs } = await driver.schedules.due(this.#aside.except, AT_ONCE);
      if (due.length === 0) {
        if (nextMs !== null) this.#wait(nextMs);
        return;
      }
      const firings = await this.#firings(due, now);
      const { answers, refused } = await apart(firings, (some) => driver.schedules.fire(some));
      for (const { member, error } of refused) await this.#leave(member, error);
      // Another worker is just firing them.
      if (firings.length > refused.length && answers.flat().length === 0) return this.#again(watchMs);
    }
  }

  async #firings(due: readonly ScheduleRow[], now: number): Promise<readonly Firing[]> {
    const firings: Firing[] = [];
    let jobs = 0;
    for (const { name, plan, fingerprint, nextAt } of due) {
      if (nextAt === null || jobs >= JOBS_AT_ONCE) continue;
      try {
        const firing = firingOf({ name, plan, fingerprint, nextAt }, now);
        jobs += firing.jobs.length;
        firings.push(firing);
      } catch (error) {
        await this.#leave({ name, at: nextAt, fingerprint }, error);
      }
    }
    return firings;
  }

  /** Sets a schedule aside, which another worker may be able to fire, and notes why. */
  async #leave(read: Pick<Firing, 'name' | 'at' | 'fingerprint'>, err: unknown): Promise<void> {
    const { driver, events, log, worker } = this.#parts;
    const schedule = read.name;
    if (this.#aside.leave(schedule)) {
      log.error({ err, schedule, worker }, 'a schedule cannot be fired; others go on, and it is tried again');
      events.emit('fault', err);
    }
    const why = messageOf(err);
    const note = why.replaceAll('\0', '').slice(0, LONGEST_NOTE).toWellFormed();
    await driver.schedules.noteBroken(read, note).catch((error: unknown) => {
      log.debug({ err: error, schedule, worker }, 'why a schedule cannot be fired was not noted');
    });
  }

  /** @param nextMs Not positive if what is due is left to others. */
  #wait(nextMs: number): void {
    this.#again(nextMs > 0 ? Math.min(Math.ceil(nextMs), LONGEST_MS) : this.#parts.watchMs);
  }

  #again(ms: number): void {
    if (!this.#isOver) this.#alarm.within(ms);
  }
}
