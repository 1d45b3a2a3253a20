import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Note } from '../audit/acting.js';
import { planOnRecord } from '../audit/on-record.js';
import type { CallOptions } from '../client/call-options.js';
import type { Calls } from '../client/calls.js';
import type { Joined } from '../driver/driver.js';
import {
  type Missed,
  MOST_FOUND,
  type Overlap,
  type ScheduleRow,
  type ScheduleSource,
} from '../driver/schedule-store.js';
import { InvalidInputError, ScheduleNotFoundError } from '../errors.js';
import { checkName, checkWhole } from '../input.js';
import { messageOf } from '../is-error.js';
import type { Enqueued } from '../job/job.js';
import type { Json } from '../job/json.js';
import { despiteChanges, nextOf, writeSchedules } from './declared.js';
import { jobOf } from './firing.js';
import { readPlan } from './read-plan.js';
import { planOf, type Schedule } from './schedule.js';

type ScheduleDriver = Pick<Joined, 'schedules' | 'workers' | 'jobs'>;

/** A schedule as it is in the database. */
export interface ScheduleView {
  readonly name: string;
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
  readonly payload: Json;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly metadata: { readonly [name: string]: Json };
  /** Null where `everyMs` is given. */
  readonly cron: string | null;
  readonly timeZone: string | null;
  /** Null where `cron` is given. */
  readonly everyMs: number | null;
  readonly anchor: Date | null;
  readonly missed: Missed;
  readonly overlap: Overlap;
  readonly jitterMs: number;
  /** `code`: declared by a program. `dynamic`: set by a call. */
  readonly source: ScheduleSource;
  /** Whether it was declared by a program, and by that of no live worker. It fires all the same. */
  readonly orphaned: boolean;
  /** When it fires next. Null if never. While it is paused, the time that it had before. */
  readonly nextAt: Date | null;
  /** When a job came of a tick last. */
  readonly firedAt: Date | null;
  /** The ticks that `overlap: 'skip'` has left out. Null: none so far. */
  readonly skipped: SkippedTicks | null;
  /** Why it cannot be fired. Null: it can, as far as is known. */
  readonly broken: BrokenSchedule | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

/** Ticks without a job, because an earlier job of the schedule was outstanding. */
export interface SkippedTicks {
  /** How many there were since the schedule was made. */
  readonly count: number;
  /** The instant of the last one. */
  readonly lastTick: Date;
  /** The public id of the job that was outstanding then. */
  readonly job: string;
}

/** A schedule that cannot be fired. Workers try it again and again. */
export interface BrokenSchedule {
  /** Null: no worker has met it yet. */
  readonly since: Date | null;
  readonly error: string;
}

/** The schedules, at run time. */
export class Schedules<Tx = unknown> {
  readonly #calls: Calls<Tx>;

  constructor(calls: Calls<Tx>) {
    this.#calls = calls;
  }

  /**
   * Adds a schedule, or changes the one with this name. A schedule that is paused stays so. A tick that is overdue still
   * comes. With `tx`, this takes effect when that transaction commits.
   *
   * @throws InvalidInputError, also when code declares it; InvalidPayloadError
   */
  async set<Schema extends StandardSchemaV1>(
    name: string,
    schedule: Schedule<Schema>,
    call: CallOptions<Tx> = {},
  ): Promise<void> {
    return this.#acting(call, async (driver, note) => {
      const plan = await planOf(name, schedule, this.#calls.declared);
      const [before] = (await driver.schedules.find([name])).schedules;
      if (before?.source === 'code')
        throw new InvalidInputError(
          `The schedule ${JSON.stringify(name)} is declared in code: change it there, or choose another name.`,
        );
      if (!(await writeSchedules(driver.schedules, [[name, plan]], 'dynamic', this.#calls.by))) return;
      await note?.({ action: 'set', scope: 'schedule', name, details: planOnRecord(plan) });
      await driver.workers.notify([{ schedule: name }]);
    });
  }

  /**
   * All schedules in the order of their names, read by pages of 1,000. One whose row this version does not understand is
   * `broken`, and what is not known of it is null or empty.
   */
  async list(): Promise<readonly ScheduleView[]> {
    const { driver } = this.#calls;
    const [schedules, workers] = await Promise.all([allOf(driver), driver.workers.list()]);
    const declared = new Set(workers.flatMap((worker) => (worker.alive ? worker.schedules : [])));
    return schedules.map((schedule) => viewOf(schedule, declared));
  }

  /**
   * When a schedule fires next, whether it is paused or not.
   *
   * @param schedule The name of one, or a definition that is not set yet.
   * @param count 1 to 100. Default 5.
   * @throws ScheduleNotFoundError, InvalidInputError, InvalidPayloadError
   */
  async preview(schedule: string | Schedule, count = 5): Promise<readonly Date[]> {
    checkWhole('count', count, 1, 100);
    const name = typeof schedule === 'string' ? schedule : 'preview';
    checkName('The name of a schedule', name);
    const { declared } = this.#calls;
    const given = typeof schedule === 'string' ? undefined : await planOf(name, schedule, declared);
    const { now, schedules } = await this.#calls.driver.schedules.find([name]);
    const row = given === undefined ? existing(name, schedules) : undefined;
    const plan = given ?? readPlan(existing(name, schedules));
    const times: Date[] = [];
    for (let at: number | null = now; times.length < count; ) {
      at = nextOf(name, plan, at, row?.tickAt);
      if (at === null) break;
      times.push(new Date(at));
    }
    return times;
  }

  /**
   * Enqueues a job of the schedule now. Its times stay as they are. Its `overlap` counts: with `skip` the outcome is
   * `duplicate` while an earlier job is outstanding.
   *
   * @throws ScheduleNotFoundError
   */
  async run(name: string): Promise<Enqueued> {
    return this.#acting({}, async (driver, note) => {
      const { row, now } = await find(driver, name);
      const plan = readPlan(row);
      const job = jobOf(name, plan, { schedule: name, scheduledFor: new Date(now), lateMs: 0 });
      const jobs = [{ ...job, available: { inMs: 0 } }];
      const [enqueued] = await driver.jobs.enqueue(jobs, [{ queue: plan.job.queue }]);
      if (enqueued === undefined) throw new Error('The driver returned no outcome for a job.');
      const { outcome, publicId } = enqueued;
      await note?.({ action: 'run', scope: 'schedule', name, details: { outcome, job: publicId } });
      return enqueued;
    });
  }

  /**
   * Fires no more until `resume`. A deploy does not end the pause. With `tx`, the pause begins when that transaction
   * commits.
   *
   * @throws ScheduleNotFoundError
   */
  async pause(name: string, call: CallOptions<Tx> = {}): Promise<void> {
    checkName('The name of a schedule', name);
    return this.#acting(call, async ({ schedules }, note) => {
      if (!(await schedules.pause(name, this.#calls.by))) throw new ScheduleNotFoundError(name);
      await note?.({ action: 'pause', scope: 'schedule', name, details: {} });
    });
  }

  /**
   * Ends a pause. The ticks that came during it are left out. With `tx`, the pause ends when that transaction commits.
   *
   * @throws ScheduleNotFoundError
   */
  async resume(name: string, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#acting(call, async (driver, note) => {
      const hasEnded = await despiteChanges(async () => {
        const { row, now } = await find(driver, name);
        if (row.pausedAt === null) return false;
        const nextAt = nextOf(name, readPlan(row), now, row.tickAt);
        return (await driver.schedules.resume(name, row.fingerprint, nextAt)) || undefined;
      });
      if (!hasEnded) return;
      await note?.({ action: 'resume', scope: 'schedule', name, details: {} });
      await driver.workers.notify([{ schedule: name }]);
    });
  }

  /**
   * Deletes a schedule. Its jobs stay. One that is declared in code is back when a worker of that code starts. With
   * `tx`, this takes effect when that transaction commits.
   *
   * @returns whether there was such a schedule
   */
  async remove(name: string, call: CallOptions<Tx> = {}): Promise<boolean> {
    checkName('The name of a schedule', name);
    return this.#acting(call, async ({ schedules }, note) => {
      const wasThere = await schedules.remove(name);
      if (wasThere) await note?.({ action: 'remove', scope: 'schedule', name, details: {} });
      return wasThere;
    });
  }

  #acting<Answer>(
    call: CallOptions<Tx>,
    work: (driver: ScheduleDriver, note: Note) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#calls.acting(call, (tx, note) => work(this.#calls.on(tx), note));
  }
}

async function allOf({ schedules }: ScheduleDriver): Promise<readonly ScheduleRow[]> {
  const all: ScheduleRow[] = [];
  for (;;) {
    const page = await schedules.find({ beyond: all.at(-1)?.name ?? '' });
    all.push(...page.schedules);
    if (page.schedules.length < MOST_FOUND) return all;
  }
}

/** @throws ScheduleNotFoundError */
async function find(
  driver: ScheduleDriver,
  name: string,
): Promise<{ readonly row: ScheduleRow; readonly now: number }> {
  checkName('The name of a schedule', name);
  const { now, schedules } = await driver.schedules.find([name]);
  return { row: existing(name, schedules), now };
}

/** @throws ScheduleNotFoundError */
function existing(name: string, [found]: readonly ScheduleRow[]): ScheduleRow {
  if (found === undefined) throw new ScheduleNotFoundError(name);
  return found;
}

function viewOf(row: ScheduleRow, declared: ReadonlySet<string>): ScheduleView {
  const { name, source, pausedBy, updatedBy } = row;
  return {
    name,
    ...planView(row),
    source,
    orphaned: source === 'code' && !declared.has(name),
    nextAt: date(row.nextAt),
    firedAt: date(row.firedAt),
    skipped: skippedOf(row),
    pausedAt: date(row.pausedAt),
    pausedBy,
    updatedAt: new Date(row.updatedAt),
    updatedBy,
  };
}

type PlanView = Pick<
  ScheduleView,
  | ('kind' | 'queue' | 'key' | 'payload' | 'priority' | 'maxAttempts' | 'metadata')
  | ('cron' | 'timeZone' | 'everyMs' | 'anchor')
  | ('missed' | 'overlap' | 'jitterMs' | 'broken')
>;

function planView(row: ScheduleRow): PlanView {
  const { broken, brokenAt } = row;
  try {
    const { job, timing, missed, overlap } = readPlan(row);
    const { kind, queue, key, payload, priority, maxAttempts, metadata } = job;
    const times =
      'cron' in timing
        ? { cron: timing.cron, timeZone: timing.timeZone, everyMs: null, anchor: null }
        : { cron: null, timeZone: null, everyMs: timing.everyMs, anchor: new Date(timing.anchorMs) };
    return {
      ...{ kind, queue, key, payload, priority, maxAttempts, metadata },
      ...{ ...times, missed, overlap, jitterMs: timing.jitterMs },
      broken: broken === null ? null : { since: date(brokenAt), error: broken },
    };
  } catch (error) {
    const { kind, queue } = Object(Object(row.plan).job);
    return {
      ...{ kind: text(kind), queue: text(queue), key: null, payload: null, priority: 0, maxAttempts: 1 },
      ...{ metadata: {}, cron: null, timeZone: null, everyMs: null, anchor: null },
      ...{ missed: 'once', overlap: 'skip', jitterMs: 0 },
      broken: { since: date(brokenAt), error: messageOf(error) },
    };
  }
}

function skippedOf({ skipped, skippedTickAt, skippedFor }: ScheduleRow): SkippedTicks | null {
  const lastTick = date(skippedTickAt);
  return lastTick === null || skippedFor === null ? null : { count: skipped, lastTick, job: skippedFor };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(Math.min(ms, 8.64e15)); // A later time is none that a Date can hold.
}
