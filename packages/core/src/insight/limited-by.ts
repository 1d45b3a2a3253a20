import { holdersOf, LIMITED_JOBS, waitOf } from '../admission/in-use.js';
import { rateOf, ratesOf, sizesOf } from '../admission/limits-text.js';
import type { Uses } from '../driver/driver.js';
import type { Facts } from '../driver/insight.js';
import type { Cause } from './reason.js';

/** The most names of limits that are looked at. */
const MOST_NAMES = 1_000;

/** What says which limits let nobody in. */
export type LimitsRead = Uses<{ admission: 'takenSlots' | 'rateTimes' | 'limits' | 'limitedJobs' }>;

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
  const [sizes, rates] = [texts.flatMap(sizesOf), texts.flatMap(ratesOf)];
  if (sizes.length + rates.length === 0) return new Map();
  const [slots, times, settings] = await Promise.all([
    sizes.length === 0 ? [] : admission.takenSlots(namesOf(sizes)),
    rates.length === 0 ? [] : admission.rateTimes(namesOf(rates)),
    admission.limits(),
  ]);
  const taken = new Map(slots.map((each) => [each.name, each.taken]));
  const set = new Map(settings.map((each) => [each.name, each]));
  const full = (text: string) =>
    sizesOf(text)
      .map(({ name, max }) => ({ name, max: set.get(name)?.max ?? max }))
      .filter(({ name, max }) => (taken.get(name) ?? 0) >= max);
  const holders =
    namesHolders && texts.some((text) => full(text).length > 0)
      ? await admission.limitedJobs(LIMITED_JOBS)
      : { parts: [], held: [] };
  const causesOf = (text: string): readonly Cause[] => [
    ...full(text).map((limit): Cause => ({ reason: 'limit', ...limit, by: holdersOf(limit.name, holders) })),
    ...ratesOf(text).flatMap((rate): readonly Cause[] => {
      const { name } = rate;
      const waitMs = waitOf(name, rateOf({ ...rate, ...set.get(name) }), times);
      return waitMs === 0 ? [] : [{ reason: 'rate', name, at: new Date(now.getTime() + waitMs) }];
    }),
  ];
  return new Map(texts.map((text) => [text, causesOf(text)]));
}

function namesOf(limits: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(limits.map(({ name }) => name))].slice(0, MOST_NAMES);
}
