import type { DeclaredLimits } from '../admission/limit.js';
import type { JoinableSchedules, NewSchedule, SchedulePlan } from '../driver/schedule-store.js';
import { InvalidInputError } from '../errors.js';
import { fingerprintOf, isSame } from './fingerprint.js';
import { jitterOf } from './jitter.js';
import { nextTime } from './next-time.js';
import { planOf, type Schedule } from './schedule.js';

/** The schedules of a program's code, by name. */
export class DeclaredSchedules {
  readonly #plans = new Map<string, Promise<SchedulePlan>>();

  /** @throws InvalidInputError when two have one name, or one is of the wrong form. */
  constructor(declared: readonly Readonly<Record<string, Schedule>>[], limits?: DeclaredLimits) {
    for (const [name, schedule] of declared.flatMap((each) => Object.entries(each))) {
      if (this.#plans.has(name))
        throw new InvalidInputError(`Two schedules have the name ${JSON.stringify(name)}. Rename one.`);
      const plan = planOf(name, schedule, limits);
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

/** @returns whether any was new, or differed */
export async function writeSchedules(
  store: JoinableSchedules,
  plans: readonly (readonly [name: string, plan: SchedulePlan])[],
  source: NewSchedule['source'],
  by: string,
): Promise<boolean> {
  const { now, schedules } = await store.find(plans.map(([name]) => name));
  const known = new Map(schedules.map((schedule) => [schedule.name, schedule]));
  const changed = plans.flatMap(([name, plan]): NewSchedule[] => {
    const fingerprint = fingerprintOf(plan);
    const before = known.get(name);
    if (before?.fingerprint === fingerprint && before.source === source) return [];
    const { timing } = plan;
    // A tick that is overdue is still to come if the deploy leaves its time as it was.
    const keepsNext = before !== undefined && isSame(before.plan.timing, timing);
    return [{ name, plan, fingerprint, source, nextAt: nextOf(name, plan, now), keepsNext }];
  });
  if (changed.length > 0) await store.set(changed, by);
  return changed.length > 0;
}

/** When a schedule fires next after a time. */
export function nextOf(name: string, { timing }: SchedulePlan, after: number): number | null {
  const jitter = jitterOf(name, timing);
  const next = nextTime(timing, after - jitter);
  return next === null ? null : next + jitter;
}
