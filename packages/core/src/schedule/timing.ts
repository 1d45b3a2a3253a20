import { isDate } from 'node:util/types';
import type { Timing } from '../driver/schedule-store.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { isError } from '../is-error.js';
import { nextTime } from './next-time.js';
import type { ScheduleTimes } from './schedule.js';

const DAY_MS = 86_400_000;

/** The least time between two ticks, in milliseconds. */
const LEAST_MS = 1_000;

type CronTimes = { readonly cron: string; readonly timeZone: string };
type Grid = { readonly everyMs: number; readonly anchorMs: number };

/** @throws InvalidInputError */
export function timingOf(what: string, times: ScheduleTimes): Timing {
  const { cron, every, jitter = 0 } = times;
  const jitterMs = milliseconds(jitter, 'jitter');
  if (jitterMs > DAY_MS) throw new InvalidInputError(`jitter must be at most 24 h, not ${jitterMs} ms.`);
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
      `cron must have 5 fields, as '0 3 * * *', or 6 with seconds, or be like '@daily', not ${JSON.stringify(cron)}.`,
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
const FORM = /^\s*(@[a-z]+|\S+(\s+\S+){4,6})\s*$/i;

function checkTimeZone(timeZone: unknown): void {
  try {
    if (typeof timeZone === 'string') new Intl.DateTimeFormat('en', { timeZone });
    else throw new RangeError();
  } catch (cause) {
    throw new InvalidInputError(
      `timeZone must be a name like 'Europe/Berlin' or 'UTC', not ${JSON.stringify(timeZone)}.`,
      { cause },
    );
  }
}
