import { isDate } from 'node:util/types';
import type { Missed, Overlap, Timing } from '../driver/schedule-store.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { isError } from '../is-error.js';
import { shown } from '../shown.js';
import { nextTime } from './next-time.js';

/** The longest jitter, in milliseconds. */
export const LONGEST_JITTER_MS = 86_400_000;

/** The least time between two ticks, in milliseconds. */
export const LEAST_MS = 1_000;

/** When a schedule fires. Either `cron` or `every`. */
export interface ScheduleTimes {
  /**
   * A cron expression of 5 fields: minute, hour, day of the month, month, day of the week. A sixth one in front is the
   * second. Also `@hourly`, `@daily` and the like.
   */
  readonly cron?: string;
  /** The time zone of `cron`, e.g. `'Europe/Berlin'`. Default `'UTC'`. */
  readonly timeZone?: string;
  /** The time between two ticks, 1 s or more. Ticks are on a fixed grid from `anchor` on, whenever a program starts. */
  readonly every?: Duration;
  /** A point of the grid of `every`. Default: the beginning of 1970, in UTC. */
  readonly anchor?: Date;
  /**
   * What happens to ticks that came while no worker ran. `once`, the default: the newest of them is enqueued. `skip`:
   * none, but a tick that is less than a minute late counts as on time, or than half its period. `{ all: { max } }`: the
   * newest `max` of them, 1 to 1,000, in order.
   */
  readonly missed?: Missed;
  /**
   * What happens to a tick while an earlier job of the schedule is outstanding. `skip`, the default: the tick enqueues
   * no job. `queue`: its job waits for the earlier one, by a key. `allow`: both may run at once.
   */
  readonly overlap?: Overlap;
  /**
   * Puts the ticks off by up to this time, at most 24 h. By how much depends on the schedule's name alone. So the ticks
   * of many schedules are spread, and those of one are as far apart as without. Default: none.
   */
  readonly jitter?: Duration;
}

type CronTimes = { readonly cron: string; readonly timeZone: string };
type Grid = { readonly everyMs: number; readonly anchorMs: number };

/** @throws InvalidInputError */
export function timingOf(what: string, times: ScheduleTimes): Timing {
  const { cron, every, jitter = 0 } = times;
  const jitterMs = milliseconds(jitter, 'jitter');
  if (jitterMs > LONGEST_JITTER_MS)
    throw new InvalidInputError(`jitter must be at most 24 h, not ${jitterMs} ms.`);
  if (cron !== undefined && every === undefined) return { ...cronTimes(cron, times), jitterMs };
  if (cron === undefined && every !== undefined) return { ...grid(every, times), jitterMs };
  const both = cron === undefined ? '' : ', and not both';
  throw new InvalidInputError(`The ${what} needs cron, as '0 3 * * *', or every, as '15m'${both}.`);
}

function grid(every: Duration, { anchor = new Date(0), timeZone }: ScheduleTimes): Grid {
  if (timeZone !== undefined)
    throw new InvalidInputError('timeZone is for cron. Pass anchor to say where the grid of every begins.');
  const everyMs = milliseconds(every, 'every');
  if (everyMs < LEAST_MS) throw new InvalidInputError(`every must be at least 1 s, not ${everyMs} ms.`);
  if (!isDate(anchor) || Number.isNaN(anchor.getTime()))
    throw new InvalidInputError('anchor must be a valid Date.');
  // Within the first period, so that a row does not differ by which point of the same grid was given.
  return { everyMs, anchorMs: ((anchor.getTime() % everyMs) + everyMs) % everyMs };
}

function cronTimes(cron: unknown, { timeZone = 'UTC', anchor }: ScheduleTimes): CronTimes {
  if (anchor !== undefined)
    throw new InvalidInputError('anchor is for every: a cron expression has its own times.');
  if (typeof cron !== 'string' || cron.length > LONGEST || !FORM.test(cron))
    throw new InvalidInputError(
      `cron must have 5 fields, as '0 3 * * *', or 6 with seconds, or be like '@daily', not ${shown(cron)}.`,
    );
  checkTimeZone(timeZone);
  const timing = { cron: cron.trim(), timeZone };
  try {
    if (nextTime({ ...timing, jitterMs: 0 }, Date.now()) !== null) return timing;
  } catch (cause) {
    const why = isError(cause) ? cause.message.replace(/^CronPattern: /, '') : String(cause);
    throw new InvalidInputError(
      `cron ${JSON.stringify(cron)} is not understood: ${why.replace(/\.?$/, '.')}`,
      {
        cause,
      },
    );
  }
  throw new InvalidInputError(
    `cron ${JSON.stringify(cron)} never comes: no day is like that, as 31 February.`,
  );
}

/** The most characters of an expression. */
const LONGEST = 256;

/** The library behind `cron` would also take a date, which comes once. */
const FORM = /^\s*(@[a-z]+|\S+(\s+\S+){4,5})\s*$/i;

function checkTimeZone(timeZone: unknown): void {
  try {
    if (typeof timeZone === 'string') new Intl.DateTimeFormat('en', { timeZone });
    else throw new RangeError();
  } catch (cause) {
    throw new InvalidInputError(
      `timeZone must be a name like 'Europe/Berlin' or 'UTC', not ${shown(timeZone)}.`,
      { cause },
    );
  }
}

export const OVERLAPS: readonly Overlap[] = ['skip', 'queue', 'allow'];

/** The most ticks that `missed: { all }` enqueues. */
export const MOST_MISSED = 1_000;

export function isOverlap(overlap: unknown): overlap is Overlap {
  return OVERLAPS.some((each) => each === overlap);
}

export function isMissed(missed: unknown): missed is Missed {
  if (missed === 'skip' || missed === 'once') return true;
  const max: unknown = Object(Object(missed).all).max;
  return typeof max === 'number' && Number.isSafeInteger(max) && max >= 1 && max <= MOST_MISSED;
}
