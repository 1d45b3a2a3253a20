import type { SchedulePlan, ScheduleRow, Timing } from '../driver/schedule-store.js';
import { InvalidInputError } from '../errors.js';
import { nextTime } from './next-time.js';
import { isMissed, isOverlap, LEAST_MS, LONGEST_JITTER_MS } from './timing.js';

/**
 * The plan of a row. Another version may have written it, or another hand.
 *
 * @throws InvalidInputError when this version cannot fire such a schedule.
 */
export function readPlan({ name, plan }: Pick<ScheduleRow, 'name' | 'plan'>): SchedulePlan {
  if (isPlan(plan)) {
    try {
      nextTime(plan.timing, Date.now());
      return plan;
    } catch (cause) {
      throw unreadable(name, 'the times', cause);
    }
  }
  const given = Object(plan);
  const [what = 'the form'] = Object.keys(PARTS).filter((part) => PARTS[part]?.(given[part]) === false);
  throw unreadable(name, `"${what}"`);
}

function unreadable(name: string, what: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    `The schedule ${JSON.stringify(name)} cannot be fired here, as this program does not understand ${what} of its row: set it anew, or start a worker of the version that has set it.`,
    cause === undefined ? undefined : { cause },
  );
}

function isPlan(plan: unknown): plan is SchedulePlan {
  const given = Object(plan);
  return Object.entries(PARTS).every(([part, isKnown]) => isKnown(given[part]));
}

const PARTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  job: isJob,
  timing: isTiming,
  missed: isMissed,
  overlap: isOverlap,
} satisfies Record<keyof SchedulePlan, unknown>;

function isJob(job: unknown): boolean {
  const { queue, kind, key, payload, priority, maxAttempts, metadata, limits } = Object(job);
  return (
    [queue, kind, key ?? '', limits].every((text) => typeof text === 'string') &&
    payload !== undefined &&
    [priority, maxAttempts].every(Number.isSafeInteger) &&
    typeof metadata === 'object' &&
    metadata !== null
  );
}

function isTiming(timing: unknown): timing is Timing {
  const { cron, timeZone, everyMs, anchorMs, jitterMs } = Object(timing);
  const isJitter = Number.isSafeInteger(jitterMs) && jitterMs >= 0 && jitterMs <= LONGEST_JITTER_MS;
  if (typeof cron === 'string') return isJitter && typeof timeZone === 'string';
  return isJitter && Number.isSafeInteger(everyMs) && everyMs >= LEAST_MS && Number.isSafeInteger(anchorMs);
}
