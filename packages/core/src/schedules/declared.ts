import { createHash } from 'node:crypto';
import { DriverError } from '../driver/driver-error.js';
import type {
  JoinableSchedules,
  NewSchedule,
  SchedulePlan,
  ScheduleRow,
  Timing,
} from '../driver/schedule-store.js';
import { InvalidInputError } from '../errors.js';
import type { Declared } from '../handler/defaults.js';
import { readOr } from '../is-error.js';
import { jitterOf, nextTime } from './next-time.js';
import { readPlan } from './read-plan.js';
import { planOf, type Schedule } from './schedule.js';

export class DeclaredSchedules {
  readonly #plans = new Map<string, Promise<SchedulePlan>>();

  /** @throws InvalidInputError when two have one name, or one is of the wrong form. */
  constructor(declared: readonly Readonly<Record<string, Schedule>>[], jobs?: Declared) {
    for (const [name, schedule] of declared.flatMap((each) => Object.entries(each))) {
      if (this.#plans.has(name))
        throw new InvalidInputError(`Two schedules have the name ${JSON.stringify(name)}. Rename one.`);
      const plan = planOf(name, schedule, jobs);
      // Awaited when a worker starts.
      plan.catch(() => {});
      this.#plans.set(name, plan);
    }
  }

  get names(): readonly string[] {
    return [...this.#plans.keys()];
  }

  /**
   * Writes those that are new, or differ from what the database has.
   *
   * @throws InvalidInputError, InvalidPayloadError, DriverError
   */
  async write(store: JoinableSchedules, by: string): Promise<boolean> {
    if (this.#plans.size === 0) return false;
    const plans: [string, SchedulePlan][] = [];
    for (const [name, plan] of this.#plans) plans.push([name, await plan]);
    return writeSchedules(store, plans, 'code', by);
  }
}

/**
 * Only a schedule that is fired between each read and write needs more than two tries. There is a limit because a
 * transaction that reads one snapshot never sees the change that has overtaken its own.
 */
const TRIES = 100;

/**
 * Repeats a read and a write that another change has overtaken.
 *
 * @param attempt Undefined if it was overtaken.
 * @throws DriverError `SerializationFailure` after a hundred attempts
 */
export async function despiteChanges<Result>(
  attempt: (tries: number) => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await attempt(tries);
    if (result !== undefined) return result;
  }
  throw new DriverError('SerializationFailure', 'A schedule is changed or fired all the time: try again.');
}

/**
 * @returns whether any was new, or differed
 * @throws DriverError `SerializationFailure` when one is changed or fired all the time
 */
export function writeSchedules(
  store: JoinableSchedules,
  plans: readonly (readonly [name: string, plan: SchedulePlan])[],
  source: NewSchedule['source'],
  by: string,
): Promise<boolean> {
  return despiteChanges(async (tries) => {
    const { now, schedules } = await store.find(plans.map(([name]) => name));
    const known = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    const changed = plans.flatMap(([name, plan]): NewSchedule[] => {
      const fingerprint = fingerprintOf(plan);
      const read = known.get(name) ?? null;
      if (read?.fingerprint === fingerprint && read.source === source) return [];
      return [{ name, plan, fingerprint, source, nextAt: nextAfterChange(name, plan, now, read), read }];
    });
    if (changed.length === 0) return tries > 0;
    await store.set(changed, by);
    return undefined;
  });
}

/**
 * When a schedule fires next whose definition was changed. A tick whose instant has come still comes, and so does the next one
 * if only the jitter has changed. Otherwise the new times begin now.
 */
function nextAfterChange(
  name: string,
  plan: SchedulePlan,
  now: number,
  read: ScheduleRow | null,
): number | null {
  if (read !== null && read.nextAt !== null) {
    const before = timingIn(read);
    const instant = read.nextAt - (before === undefined ? 0 : jitterOf(name, before));
    const isAsBefore = before !== undefined && isSame(withoutJitter(before), withoutJitter(plan.timing));
    if (isAsBefore || instant <= now) return instant + jitterOf(name, plan.timing);
  }
  return nextOf(name, plan, now, read?.tickAt);
}

/** Undefined if this version cannot read it. */
function timingIn(read: ScheduleRow): Timing | undefined {
  return readOr(undefined, () => readPlan(read).timing);
}

function withoutJitter(timing: Timing): Timing {
  return { ...timing, jitterMs: 0 };
}

/**
 * When a schedule fires next after a time.
 *
 * @param tickAt The newest instant that is over. Default: none.
 */
export function nextOf(
  name: string,
  { timing }: SchedulePlan,
  after: number,
  tickAt?: number | null,
): number | null {
  const jitter = jitterOf(name, timing);
  const next = nextTime(timing, Math.max(after - jitter, tickAt ?? Number.NEGATIVE_INFINITY));
  return next === null ? null : next + jitter;
}

/** The same for equal plans, whatever the order of their members. */
export function fingerprintOf(plan: SchedulePlan): string {
  return createHash('sha256').update(JSON.stringify(plan, inOrder)).digest('base64url');
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
