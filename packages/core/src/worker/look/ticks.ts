import { inCleanContext } from '../../clean-context.js';
import type { Clock } from '../../clock.js';
import type { Firing, ScheduleRow, ScheduleStore } from '../../driver/schedule-store.js';
import { Pause } from '../../job/pause.js';
import { firingOf } from '../../schedule/firing.js';
import { Alarm } from '../time/alarm.js';

/** How many schedules are fired at once, and about how many jobs. */
const AT_ONCE = 100;
const JOBS_AT_ONCE = 1_000;

/** The longest time until the next look, in milliseconds, while a schedule is to fire later. */
const LONGEST_MS = 60_000;

/** How long a schedule is left to other workers whose times this one cannot compute, in milliseconds. */
const LEFT_MS = 60_000;

export interface TicksParts {
  readonly schedules: Pick<ScheduleStore, 'due' | 'fire'>;
  readonly clock: Clock;
  /** How soon to look again if another worker is just firing, in milliseconds. */
  readonly retryMs: number;
  /** Called with a schedule whose times cannot be computed here. */
  readonly onBroken: (name: string, error: unknown) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Fires the schedules of the database, beside the slots: also while all slots are busy. Any worker fires any schedule,
 * and the one whose transaction comes first has the tick.
 */
export class Ticks {
  readonly #parts: TicksParts;
  readonly #alarm: Alarm;
  readonly #pause = new Pause(1_000, 30_000);
  /** By name, until when they are left to others. */
  readonly #broken = new Map<string, number>();
  #current: Promise<void> | null = null;
  #isOutdated = false;
  #isStopped = false;

  constructor(parts: TicksParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.look());
  }

  /** A survey has found when the first schedule is due. */
  surveyed(nextMs: number | null): void {
    if (nextMs === null || this.#isStopped || this.#current !== null) return;
    if (nextMs <= 0 && this.#broken.size === 0) this.look();
    else this.#wait(nextMs);
  }

  /** Fires what is due. Calls while this goes on are one more look behind it. */
  look(): void {
    this.#isOutdated = true;
    if (this.#isStopped) return;
    this.#current ??= inCleanContext(() => this.#look());
  }

  /** Resolves when nothing goes on any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.stop();
    await this.#current;
  }

  async #look(): Promise<void> {
    try {
      while (this.#isOutdated && !this.#isStopped) {
        this.#isOutdated = false;
        await this.#fireAll();
      }
      this.#pause.reset();
    } catch (error) {
      this.#parts.onFault(error);
      this.#again(this.#pause.next());
    } finally {
      // At once: a later call would be lost.
      this.#current = null;
    }
  }

  async #fireAll(): Promise<void> {
    const { schedules, retryMs } = this.#parts;
    while (!this.#isStopped) {
      const { now, schedules: due, nextMs } = await schedules.due(this.#left(), AT_ONCE);
      if (due.length === 0) {
        if (nextMs !== null) this.#wait(nextMs);
        return;
      }
      const firings = this.#firings(due, now);
      // Another worker is just firing them.
      if (firings.length > 0 && (await schedules.fire(firings)).length === 0) return this.#again(retryMs);
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
        this.#broken.set(schedule.name, this.#parts.clock.now() + LEFT_MS);
        this.#parts.onBroken(schedule.name, error);
      }
    }
    return firings;
  }

  #left(): readonly string[] {
    const now = this.#parts.clock.now();
    for (const [name, until] of this.#broken) if (until <= now) this.#broken.delete(name);
    return [...this.#broken.keys()];
  }

  /** @param nextMs Not positive if what is due is left to others. */
  #wait(nextMs: number): void {
    this.#again(nextMs > 0 ? Math.min(Math.ceil(nextMs), LONGEST_MS) : this.#parts.retryMs);
  }

  #again(ms: number): void {
    if (!this.#isStopped) this.#alarm.within(ms);
  }
}
