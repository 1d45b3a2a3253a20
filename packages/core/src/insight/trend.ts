import { isIn, lanesIn } from '../client/check-filter.js';
import type { History } from '../driver/history.js';
import type { JobFilter } from '../driver/job-filter.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkOptions } from '../known-options.js';
import { settledIn, type WindowStats } from './counts.js';

const MINUTE_MS = 60_000;

/** As long as sums are kept, in minutes. */
const WEEK = 7 * 24 * 60;

/** How many minutes a point may have, and the most points. */
const STEPS = [1, 10, 60] as const;
const MOST_POINTS = 200;

export interface TrendOptions extends Pick<JobFilter, 'queue' | 'kind'> {
  /** How far back, 1 minute to 7 days. Default `3h`. */
  readonly last?: Duration;
}

/** What workers have settled, over a time. */
export interface Trend {
  /** How long each point is, in seconds: a minute up to 200 minutes, ten minutes up to 2,000, then an hour. */
  readonly stepSeconds: number;
  /** In order, without a gap. The last one goes on. */
  readonly points: readonly TrendPoint[];
}

export interface TrendPoint extends Omit<WindowStats, 'seconds'> {
  /** When the point begins. */
  readonly at: Date;
}

/** @throws InvalidInputError, DriverError */
export async function trend(history: Pick<History, 'tallies'>, options: TrendOptions): Promise<Trend> {
  checkOptions('trend()', options, ['last', 'queue', 'kind'] satisfies (keyof TrendOptions)[]);
  const { last = '3h' } = options;
  const lanes = lanesIn(options);
  const minutes = Math.ceil(milliseconds(last) / MINUTE_MS);
  if (!(minutes >= 1 && minutes <= WEEK)) throw new InvalidInputError('last must be 1 minute to 7 days.');
  const step = STEPS.find((each) => minutes / each <= MOST_POINTS) ?? STEPS[2];
  const [queue, kind] = [alone(lanes.queues), alone(lanes.kinds)];
  const byLane = [lanes.queues, lanes.kinds].some((names = []) => names.length > 1);
  // All of the first step. What is before it has no point.
  const question = { step, queue, kind, byLane };
  const { now, sums } = await history.tallies({ ...question, minutes: minutes + step - 1 });
  const found = Map.groupBy(
    sums.filter(({ lane }) => lane === null || isIn(lanes, lane)),
    ({ at }) => at.getTime(),
  );
  const stepMs = step * MINUTE_MS;
  const end = Math.floor(now.getTime() / stepMs);
  const count = Math.ceil(minutes / step);
  const times = Array.from({ length: count + 1 }, (_, place) => (end - count + place) * stepMs);
  const points = times.map((at) => ({ at: new Date(at), ...settledIn(found.get(at) ?? []) }));
  return { stepSeconds: step * 60, points };
}

/** The one that the server looks for. Of several each has sums of its own. */
function alone(names: readonly string[] = []): string | null {
  const [only = null] = names;
  return names.length === 1 ? only : null;
}
