import type { Driver } from '../driver/driver.js';
import type { LimitedJobs, LimitedJobsBounds } from '../driver/limited-jobs.js';
import type { HeldJob } from '../driver/situation.js';
import type { LimitSize } from '../driver/store.js';
import type { DeclaredSizes } from '../handler/job-limits.js';
import { limitsOf, namesIn } from '../job/limits.js';
import type { JobCount } from '../stats/stats.js';

/** The most limits, or rates, that are listed. */
export const MOST_NAMES = 1_000;

/** The most jobs that are listed as those that have the slots of a limit. */
const MOST_HOLDERS = 100;

/** How many jobs with limits and rates are looked at, in all queues together. */
export const LIMITED_JOBS: LimitedJobsBounds = { parts: 1_000, counted: 10_000 };

/** A limit that is in use, or whose size was set. */
export interface LimitView {
  readonly name: string;
  /**
   * The size that was set. Otherwise the largest that jobs say, which are due or in a run, or that a plugin here
   * declares. Null if there is none.
   */
  readonly max: number | null;
  /** When the size was set. Null if it was not. */
  readonly setAt: Date | null;
  /** Who has set the size. Null if it was not set. */
  readonly setBy: string | null;
  /** How many slots are taken, by jobs and by `slots()`. */
  readonly taken: number;
  /** The jobs of runs that have slots, up to 100. The jobs of one run have one slot together. */
  readonly holders: readonly HeldJob[];
  /** Due jobs with this limit that no run has. Paused ones count too. */
  readonly waiting: JobCount;
}

/** The limits, in the order of their names. */
export async function limitsInUse(
  driver: Pick<Driver, 'limits' | 'limitedJobs' | 'takenSlots'>,
  declared: DeclaredSizes = new Map(),
): Promise<readonly LimitView[]> {
  const [sizes, jobs, slots] = await Promise.all([
    driver.limits(),
    driver.limitedJobs(LIMITED_JOBS),
    driver.takenSlots(),
  ]);
  const taken = new Map(slots.map((each) => [each.name, each.taken]));
  const said = saidSizes(jobs);
  const names = new Set([...sizes.map(({ name }) => name), ...said.keys(), ...taken.keys()]);
  return [...names]
    .toSorted()
    .slice(0, MOST_NAMES)
    .map((name) => ({
      name,
      ...sizeOf(name, sizes, said.get(name) ?? declared.get(name)),
      taken: taken.get(name) ?? 0,
      holders: holdersOf(name, jobs),
      waiting: waitingFor(name, jobs),
    }));
}

/** The largest size of each limit that jobs say. */
function saidSizes({ parts, held }: LimitedJobs): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  for (const text of new Set([...parts, ...held].map(({ limits }) => limits)))
    for (const { name, max } of limitsOf(text)) said.set(name, Math.max(max, said.get(name) ?? 0));
  return said;
}

function sizeOf(
  name: string,
  sizes: readonly LimitSize[],
  said: number | undefined,
): Pick<LimitView, 'max' | 'setAt' | 'setBy'> {
  const set = sizes.find((each) => each.name === name);
  return set ?? { max: said ?? null, setAt: null, setBy: null };
}

/** The jobs of runs that have a slot of a limit, up to 100. */
export function holdersOf(name: string, { held }: LimitedJobs): readonly HeldJob[] {
  return held
    .filter(({ limits }) => limitsOf(limits).some((limit) => limit.name === name))
    .slice(0, MOST_HOLDERS)
    .map(({ publicId, kind, run }) => ({ publicId, kind, run }));
}

/** How many due jobs with a limit or rate no run has. */
export function waitingFor(name: string, { parts, held }: LimitedJobs): JobCount {
  const own = parts.filter(({ limits }) => namesIn(limits).includes(name));
  const more = own.some((part) => part.more);
  const due = own.reduce((sum, part) => sum + part.due, 0);
  const running = held.filter((job) => job.due && namesIn(job.limits).includes(name)).length;
  return { count: Math.max(0, due - running), more };
}
