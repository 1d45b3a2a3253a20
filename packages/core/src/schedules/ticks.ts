import { inCleanContext } from '../clean-context.js';
import type { Firing, ScheduleRow, ScheduleStore } from '../driver/schedule-store.js';
import type { Survey } from '../driver/survey.js';
import type { WakeUp } from '../driver/wake-up.js';
import { GrowingDelay } from '../job/growing-delay.js';
import type { Part, PartContext } from '../worker/part.js';
import { Alarm } from '../worker/time/alarm.js';
import { firingOf } from './firing.js';

/** How many schedules are fired at once, and about how many jobs. */
const AT_ONCE = 100;
const JOBS_AT_ONCE = 1_000;

/** The longest time until the next look, in milliseconds, while a schedule is to fire later. */
const LONGEST_MS = 60_000;

/** How long a schedule is left to other workers whose times this one cannot compute, in milliseconds. */
const LEFT_MS = 60_000;

export interface TicksParts
  extends Pick<PartContext, 'clock' | 'log' | 'events' | 'worker' | 'stopping' | 'watchMs'> {
  readonly driver: { readonly schedules: Pick<ScheduleStore, 'due' | 'fire'> };
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
  /** By name, until when they are left to others. */
  readonly #broken = new Map<string, number>();
  #current: Promise<void> | null = null;
  #isOutdated = false;

  constructor(parts: TicksParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.#look());
  }

  start(): void {
    if (this.#parts.isDeclared) this.#look();
  }

  wakeUp(wakeUp: WakeUp): void {
    if ('schedule' in wakeUp) this.#look();
  }

  surveyed({ nextTickMs }: Pick<Survey, 'nextTickMs'>): void {
    if (nextTickMs === null || this.#isOver || this.#current !== null) return;
    if (nextTickMs <= 0 && this.#broken.size === 0) this.#look();
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
    } catch (error) {
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
      const { now, schedules: due, nextMs } = await driver.schedules.due(this.#left(), AT_ONCE);
      if (due.length === 0) {
        if (nextMs !== null) this.#wait(nextMs);
        return;
      }
      const firings = this.#firings(due, now);
      // Another worker is just firing them.
      if (firings.length > 0 && (await driver.schedules.fire(firings)).length === 0)
        return this.#again(watchMs);
    }
  }

  #firings(due: readonly ScheduleRow[], now: number): readonly Firing[] {
    const firings: Firing[] = [];
    let jobs = 0;
    for (const { nextAt, ...schedule } of due) {
      if (nextAt === null || jobs >= JOBS_AT_ONCE) continue;
      try {
        const firing = firingOf({ ...schedule, nextAt }, now);
        jobs += firing.jobs.length;
        firings.push(firing);
      } catch (error) {
        this.#leave(schedule.name, error);
      }
    }
    return firings;
  }

  #leave(schedule: string, err: unknown): void {
    const { clock, log, worker } = this.#parts;
    this.#broken.set(schedule, clock.now() + LEFT_MS);
    log.error({ err, schedule, worker }, 'the times of a schedule cannot be computed here');
  }

  #left(): readonly string[] {
    const now = this.#parts.clock.now();
    for (const [name, until] of this.#broken) if (until <= now) this.#broken.delete(name);
    return [...this.#broken.keys()];
  }

  /** @param nextMs Not positive if what is due is left to others. */
  #wait(nextMs: number): void {
    this.#again(nextMs > 0 ? Math.min(Math.ceil(nextMs), LONGEST_MS) : this.#parts.watchMs);
  }

  #again(ms: number): void {
    if (!this.#isOver) this.#alarm.within(ms);
  }
}
