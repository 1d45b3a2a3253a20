import { hostname } from 'node:os';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DeclaredLimits } from '../admission/limit.js';
import type { CallOptions } from '../client/call-options.js';
import type { Calls } from '../client/calls.js';
import type { Joined } from '../driver/driver.js';
import type { Missed, Overlap, SchedulePlan, ScheduleRow, ScheduleSource } from '../driver/schedule-store.js';
import { InvalidInputError, ScheduleNotFoundError } from '../errors.js';
import { checkName, checkWhole } from '../input.js';
import type { Enqueued } from '../job/job.js';
import type { Json } from '../job/json.js';
import { nextOf, writeSchedules } from './declared.js';
import { jobOf } from './firing.js';
import { planOf, type Schedule } from './schedule.js';

/** How often a change that another one overtakes is tried. */
const TRIES = 5;

type ScheduleDriver = Pick<Joined, 'schedules' | 'workers'>;

/** A schedule as it is in the database. */
export interface ScheduleView {
  readonly name: string;
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
  readonly payload: Json;
  /** Null where `everyMs` is given. */
  readonly cron: string | null;
  readonly timeZone: string | null;
  /** Null where `cron` is given. */
  readonly everyMs: number | null;
  readonly missed: Missed;
  readonly overlap: Overlap;
  readonly jitterMs: number;
  /** `code`: declared by a program. `dynamic`: set by a call. */
  readonly source: ScheduleSource;
  /** Whether it was declared by a program, and by that of no live worker. It fires all the same. */
  readonly orphaned: boolean;
  /** When it fires next. Null if never. While it is paused, the time that it had before. */
  readonly nextAt: Date | null;
  /** When it fired last. */
  readonly firedAt: Date | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

/** The schedules, at run time. */
export class Schedules<Tx = unknown> {
  readonly #calls: Calls<Tx>;
  readonly #limits: DeclaredLimits | undefined;

  /** @param limits The limits that plugins declare. */
  constructor(calls: Calls<Tx>, limits: DeclaredLimits | undefined) {
    this.#calls = calls;
    this.#limits = limits;
  }

  /**
   * Adds a schedule, or changes the one with this name. A schedule that is paused stays so. If its times stay as they
   * are, a tick that is overdue still comes. With `tx`, this takes effect when that transaction commits.
   *
   * @param by Who sets it, for `list`. Default: the host.
   * @throws InvalidInputError, also when code declares it; InvalidPayloadError
   */
  async set<Schema extends StandardSchemaV1>(
    name: string,
    schedule: Schedule<Schema>,
    { by = hostname() }: { readonly by?: string } = {},
    call: CallOptions<Tx> = {},
  ): Promise<void> {
    return this.#within(call, async (driver) => {
      checkName('by', by);
      const plan = await planOf(name, schedule, this.#limits);
      const [before] = (await driver.schedules.find([name])).schedules;
      if (before?.source === 'code')
        throw new InvalidInputError(
          `The schedule ${JSON.stringify(name)} is declared in code: change it there, or choose another name.`,
        );
      if (await writeSchedules(driver.schedules, [[name, plan]], 'dynamic', by))
        await driver.workers.notify([{ schedule: name }]);
    });
  }

  /** All schedules in the order of their names, up to 1,000. */
  async list(): Promise<readonly ScheduleView[]> {
    const { driver } = this.#calls;
    const [{ schedules }, workers] = await this.#within({}, () =>
      Promise.all([driver.schedules.find(), driver.workers.list()]),
    );
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
    const plan = typeof schedule === 'string' ? undefined : await planOf(name, schedule, this.#limits);
    const { now, schedules } = await this.#within({}, (driver) => driver.schedules.find([name]));
    const found = plan ?? existing(name, schedules).plan;
    const times: Date[] = [];
    for (let at: number | null = now; times.length < count; ) {
      at = nextOf(name, found, at);
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
    const { driver } = this.#calls;
    const [enqueued] = await this.#within({}, async () => {
      const { row, now } = await find(driver, name);
      const { plan } = row;
      const job = jobOf(name, plan, { schedule: name, scheduledFor: new Date(now), lateMs: 0 });
      return driver.jobs.enqueue([{ ...job, available: { inMs: 0 } }], [{ queue: plan.job.queue }]);
    });
    if (enqueued === undefined) throw new Error('The driver returned no outcome for a job.');
    return enqueued;
  }

  /**
   * Fires no more until `resume`. A deploy does not end the pause. With `tx`, the pause begins when that transaction
   * commits.
   *
   * @param by Who pauses it, for `list`. Default: the host.
   * @throws ScheduleNotFoundError
   */
  async pause(
    name: string,
    { by = hostname() }: { readonly by?: string } = {},
    call: CallOptions<Tx> = {},
  ): Promise<void> {
    checkName('The name of a schedule', name);
    checkName('by', by);
    return this.#within(call, async ({ schedules }) => {
      if (!(await schedules.pause(name, by))) throw new ScheduleNotFoundError(name);
    });
  }

  /**
   * Ends a pause. The ticks that came during it are left out. With `tx`, the pause ends when that transaction commits.
   *
   * @throws ScheduleNotFoundError
   */
  async resume(name: string, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#within(call, async (driver) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const { row, now } = await find(driver, name);
        if (row.pausedAt === null) return;
        if (await driver.schedules.resume(name, row.fingerprint, nextOf(name, row.plan, now)))
          return driver.workers.notify([{ schedule: name }]);
      }
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
    return this.#within(call, ({ schedules }) => schedules.remove(name));
  }

  #within<Answer>(call: CallOptions<Tx>, work: (driver: ScheduleDriver) => Promise<Answer>): Promise<Answer> {
    const { driver } = this.#calls;
    return this.#calls.within(call, (tx) => work(tx === undefined ? driver : driver.join(tx)));
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
  const { name, plan, source, pausedBy, updatedBy } = row;
  const { kind, queue, key, payload } = plan.job;
  return {
    name,
    kind,
    queue,
    key,
    payload,
    ...timesOf(plan),
    missed: plan.missed,
    overlap: plan.overlap,
    jitterMs: plan.timing.jitterMs,
    source,
    orphaned: source === 'code' && !declared.has(name),
    nextAt: date(row.nextAt),
    firedAt: date(row.firedAt),
    pausedAt: date(row.pausedAt),
    pausedBy,
    updatedAt: new Date(row.updatedAt),
    updatedBy,
  };
}

function timesOf({ timing }: SchedulePlan): Pick<ScheduleView, 'cron' | 'timeZone' | 'everyMs'> {
  return 'cron' in timing
    ? { cron: timing.cron, timeZone: timing.timeZone, everyMs: null }
    : { cron: null, timeZone: null, everyMs: timing.everyMs };
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
