import type { Driver } from '../driver/driver.js';
import type { LimitedJobs } from '../driver/limited-jobs.js';
import type { RateTime } from '../driver/situation.js';
import type { RateSetting } from '../driver/store.js';
import { ratesOf } from '../job/limits.js';
import { type Rate, type RateNumbers, startAt } from '../job/rates.js';
import type { JobCount } from '../stats/stats.js';
import { LIMITED_JOBS, MOST_NAMES, waitingFor } from './limits-in-use.js';

/** A rate that is in use, or whose numbers were set. */
export interface RateView {
  readonly name: string;
  /** How many starts in `perMs` milliseconds: the numbers that were set, or else those of a due job. Null if there are none. */
  readonly limit: number | null;
  readonly perMs: number | null;
  /** How many starts at once, after a pause. */
  readonly burst: number | null;
  /** When the numbers were set. Null if they were not. */
  readonly setAt: Date | null;
  /** Who has set the numbers. Null if they were not set. */
  readonly setBy: string | null;
  /** How long until the next start is allowed, in milliseconds. 0: now. Also 0 without numbers. */
  readonly nextInMs: number;
  /** Due jobs with this rate that no run has. Paused ones count too. */
  readonly waiting: JobCount;
}

/** The rates, in the order of their names. */
export async function ratesInUse(
  driver: Pick<Driver, 'rates' | 'limitedJobs' | 'rateTimes'>,
): Promise<readonly RateView[]> {
  const [settings, jobs, times] = await Promise.all([
    driver.rates(),
    driver.limitedJobs(LIMITED_JOBS),
    driver.rateTimes(),
  ]);
  const said = saidNumbers(jobs);
  const names = new Set([...settings, ...times, ...said.values()].map(({ name }) => name));
  return [...names]
    .toSorted()
    .slice(0, MOST_NAMES)
    .map((name) => {
      const set = settings.find((each) => each.name === name);
      return {
        ...numbersOf(name, set, said.get(name)),
        nextInMs: waitOf(name, set ?? said.get(name), times),
        waiting: waitingFor(name, jobs),
      };
    });
}

/** The numbers of each rate, as a job says them. */
function saidNumbers({ parts, held }: LimitedJobs): ReadonlyMap<string, Rate> {
  const texts = new Set([...parts, ...held].map(({ limits }) => limits));
  return new Map([...texts].flatMap(ratesOf).map((rate) => [rate.name, rate]));
}

function numbersOf(
  name: string,
  set: RateSetting | undefined,
  said: Rate | undefined,
): Omit<RateView, 'nextInMs' | 'waiting'> {
  return set ?? { name, limit: null, perMs: null, burst: null, ...said, setAt: null, setBy: null };
}

/** How long until a rate allows a start, in milliseconds. */
export function waitOf(name: string, numbers: RateNumbers | undefined, times: readonly RateTime[]): number {
  const time = times.find((rate) => rate.name === name);
  if (time === undefined || numbers === undefined) return 0;
  const { waitUs } = startAt(time.nextInUs, 0, numbers);
  return waitUs < LEAST_WAIT_US ? 0 : waitUs / 1_000;
}

/** A rate that allows a start sooner is in nobody's way, in microseconds. */
const LEAST_WAIT_US = 1_000;
