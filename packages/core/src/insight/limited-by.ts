import { fullSizes } from '../admission/full-limits.js';
import { holdersOf, LIMITED_JOBS, waitOf } from '../admission/in-use.js';
import type { Uses } from '../driver/driver.js';
import type { Facts } from '../driver/insight.js';
import { namesIn, rateOf, ratesOf } from '../job/limits-text.js';
import type { Cause } from './reason.js';

/** The most names of limits that are looked at. */
const MOST_NAMES = 1_000;

export type LimitsRead = Uses<{ admission: 'limits' | 'jobs' }>;

/** By the text of a job's limits, those that let nobody in now. */
export type LimitedBy = ReadonlyMap<string, readonly Cause[]>;

/**
 * Reads which limits are full, or have no start left, of those that jobs wait for.
 *
 * @param namesHolders Whether the jobs that have the slots are read too.
 */
export async function limitedBy(
  { admission }: LimitsRead,
  { jobs, now }: Facts,
  namesHolders: boolean,
): Promise<LimitedBy> {
  const texts = [...new Set(jobs.flatMap(({ run, limits }) => (run === null ? limits : [])))];
  const names = [...new Set(texts.flatMap(namesIn))].slice(0, MOST_NAMES);
  if (names.length === 0) return new Map();
  const limits = new Map((await admission.limits(names)).map((each) => [each.name, each]));
  const holders =
    namesHolders && texts.some((text) => fullSizes(text, limits).length > 0)
      ? await admission.jobs(LIMITED_JOBS)
      : { parts: [], held: [] };
  const causesOf = (text: string): readonly Cause[] => [
    ...fullSizes(text, limits).map(
      (limit): Cause => ({ reason: 'limit', ...limit, by: holdersOf(limit.name, holders) }),
    ),
    ...ratesOf(text).flatMap((rate): readonly Cause[] => {
      const { name } = rate;
      const waitMs = waitOf(rateOf({ ...rate, ...limits.get(name)?.set }), limits.get(name));
      return waitMs === 0 ? [] : [{ reason: 'starts', name, at: new Date(now.getTime() + waitMs) }];
    }),
  ];
  return new Map(texts.map((text) => [text, causesOf(text)]));
}
