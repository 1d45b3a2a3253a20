import type { LimitedJobs, LimitedJobsBounds, LimitInUse } from '../driver/admission.js';
import type { Uses } from '../driver/driver.js';
import type { HeldJob } from '../driver/insight.js';
import type { JobCount } from '../job/job.js';
import { type LimitNumbers, limitsOf, namesIn, rateOf, sizesOf } from '../job/limits-text.js';
import { type RateNumbers, startAt } from '../job/rate.js';
import type { DeclaredLimits } from './limit.js';

const MOST_NAMES = 1_000;

/** The most jobs that are listed as those that have the slots of a limit. */
const MOST_HOLDERS = 100;

/** How many jobs with limits are looked at, in all queues together. */
export const LIMITED_JOBS: LimitedJobsBounds = { parts: 1_000, counted: 10_000 };

/**
 * A limit that is in use, or whose numbers were set. A number is the one that was set. Otherwise that of jobs which are due
 * or in a run, or that a plugin here declares, the largest `max` of these. Null if there is none.
 */
export interface LimitView {
  readonly name: string;
  /** How many runs may go on at once. */
  readonly max: number | null;
  /** How many slots are taken, by jobs and by `slots()`. */
  readonly taken: number;
  /** The jobs of runs that have slots, up to 100. The jobs of one run have one slot together. */
  readonly holders: readonly HeldJob[];
  /** How many runs may start in `perMs` milliseconds. */
  readonly starts: number | null;
  readonly perMs: number | null;
  /** How many may start at once, after a pause. */
  readonly burst: number | null;
  /** When the next start is allowed, by the clock of this process. Null if it is now, or if starts have no limit. */
  readonly nextAt: Date | null;
  /** Due jobs with this limit that no run has. Paused ones count too. */
  readonly waiting: JobCount;
  /** When numbers were set. Null if none were. */
  readonly setAt: Date | null;
  /** Who has set the numbers. Null if none were set. */
  readonly setBy: string | null;
}

export async function limitsInUse(
  { admission }: Uses<{ admission: 'jobs' | 'limits' }>,
  declared: DeclaredLimits = new Map(),
): Promise<readonly LimitView[]> {
  const [jobs, all] = await Promise.all([admission.jobs(LIMITED_JOBS), admission.limits()]);
  const said = saidNumbers(jobs);
  const inUse = new Map(all.map((each) => [each.name, each]));
  const names = new Set([...said.keys(), ...inUse.keys()]);
  return [...names]
    .toSorted()
    .slice(0, MOST_NAMES)
    .map((name) => {
      const numbers = { ...(said.get(name) ?? declared.get(name)), ...inUse.get(name)?.set };
      return {
        ...UNKNOWN,
        ...numbers,
        name,
        taken: inUse.get(name)?.taken ?? 0,
        holders: holdersOf(name, jobs),
        nextAt: timeAfter(waitOf(rateOf(numbers), inUse.get(name))),
        waiting: waitingFor(name, jobs),
      };
    });
}

const UNKNOWN = { max: null, starts: null, perMs: null, burst: null, setAt: null, setBy: null };

/** The numbers of each limit, as jobs say them: of several sizes the largest. */
function saidNumbers({ parts, held }: LimitedJobs): ReadonlyMap<string, LimitNumbers> {
  const said = new Map<string, LimitNumbers>();
  for (const text of new Set([...parts, ...held].map(({ limits }) => limits)))
    for (const { name, ...numbers } of limitsOf(text)) {
      const { max = numbers.max, ...others } = said.get(name) ?? {};
      const most = max === undefined ? {} : { max: Math.max(max, numbers.max ?? max) };
      said.set(name, { ...others, ...numbers, ...most });
    }
  return said;
}

function timeAfter(waitMs: number): Date | null {
  return waitMs === 0 ? null : new Date(Date.now() + waitMs);
}

/** How long until a limit allows a start, in milliseconds. */
export function waitOf(
  numbers: RateNumbers | undefined,
  { nextInUs }: Pick<LimitInUse, 'nextInUs'> = { nextInUs: null },
): number {
  if (nextInUs === null || numbers === undefined) return 0;
  const { waitUs } = startAt(nextInUs, 0, numbers);
  return waitUs < LEAST_WAIT_US ? 0 : waitUs / 1_000;
}

/** A limit that allows a start sooner is in nobody's way, in microseconds. */
const LEAST_WAIT_US = 1_000;

/** The jobs of runs that have a slot of a limit, up to 100. */
export function holdersOf(name: string, { held }: LimitedJobs): readonly HeldJob[] {
  return held
    .filter(({ limits }) => sizesOf(limits).some((limit) => limit.name === name))
    .slice(0, MOST_HOLDERS)
    .map(({ publicId, kind, run }) => ({ publicId, kind, run }));
}

function waitingFor(name: string, { parts, held }: LimitedJobs): JobCount {
  const own = parts.filter(({ limits }) => namesIn(limits).includes(name));
  const more = own.some((part) => part.more);
  const due = own.reduce((sum, part) => sum + part.due, 0);
  const running = held.filter((job) => job.due && namesIn(job.limits).includes(name)).length;
  return { count: Math.max(0, due - running), more };
}
