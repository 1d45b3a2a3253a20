import { checkName, checkWhole } from '../input.js';

/** How many runs may start in a time. */
export interface RateNumbers {
  /** How many starts in `perMs` milliseconds, if they are evenly spaced. */
  readonly limit: number;
  readonly perMs: number;
  /** How many starts at once, after a pause. */
  readonly burst: number;
}

/** One rate of a job. */
export interface Rate extends RateNumbers {
  readonly name: string;
}

/** The rates of a job, by name. Each run takes a start of each. */
export interface Rates {
  readonly [name: string]: RateNumbers;
}

/** The most starts in a time, the most at once, and the longest time, 31 days in milliseconds. */
const MOST_STARTS = 1_000_000;
const MOST_AT_ONCE = 1_000;
const LONGEST_MS = 2_678_400_000;

/** A time of a rate that is further in the future than this, in microseconds, is of a clock that was put back. */
const CLOCK_SLACK_US = 5_000_000;

/** @throws InvalidInputError */
export function checkRate({ name, limit, perMs, burst }: Rate): void {
  checkName('The name of a rate', name);
  const of = `of the rate ${JSON.stringify(name)}`;
  checkWhole(`limit ${of}`, limit, 1, MOST_STARTS);
  checkWhole(`per ${of}, in milliseconds,`, perMs, 1, LONGEST_MS);
  checkWhole(`burst ${of}`, burst, 1, MOST_AT_ONCE);
}

/** The pause between evenly spaced starts, in microseconds. Rounded up, so that no more than `limit` fit. */
function spacingUs({ limit, perMs }: RateNumbers): number {
  return Math.ceil((perMs * 1_000) / limit);
}

/**
 * A rate's time and what it allows now: the generic cell rate algorithm. All times are in microseconds of one clock. The
 * drivers spell the same in SQL.
 *
 * @param nextUs When the next start would be, if all starts were evenly spaced.
 */
export function startAt(nextUs: number, nowUs: number, rate: RateNumbers): StartAt {
  const spacing = spacingUs(rate);
  const full = nowUs + rate.burst * spacing;
  const next = nextUs > full + CLOCK_SLACK_US ? full : nextUs;
  return {
    waitUs: Math.max(0, next - (rate.burst - 1) * spacing - nowUs),
    waitingUs: next,
    takenUs: Math.max(next, nowUs) + spacing,
  };
}

/** What a rate allows now. */
export interface StartAt {
  /** How long until a start is allowed. */
  readonly waitUs: number;
  /** The rate's time without a start. It differs from the one before if that was of a clock that was put back. */
  readonly waitingUs: number;
  /** The rate's time with a start. */
  readonly takenUs: number;
}
