/** How many runs may start in a time. */
export interface RateNumbers {
  /** How many starts in `perMs` milliseconds, if they are evenly spaced. */
  readonly starts: number;
  readonly perMs: number;
  /** How many starts at once, after a pause. */
  readonly burst: number;
}

/** The starts of one limit of a job. */
export interface Rate extends RateNumbers {
  readonly name: string;
}

/** A time of a rate that is further in the future than this, in microseconds, is of a clock that was put back. */
const CLOCK_SLACK_US = 5_000_000;

/** The pause between evenly spaced starts, in microseconds. Rounded up, so that no more than `starts` fit. */
function spacingUs({ starts, perMs }: RateNumbers): number {
  return Math.ceil((perMs * 1_000) / starts);
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
