import type { WorkerView } from '../driver/anchor.js';
import type { Driver } from '../driver/driver.js';
import type { Backlog, Lane, Tallied, Tally } from '../driver/statistics.js';
import { type Percentiles, percentiles } from './buckets.js';
import { isServed } from './served.js';

/**
 * The most due jobs of a queue that are counted, and of all queues together: their kinds are not in the index, so each is
 * looked up. As many delayed ones are counted.
 */
const MOST = 10_000;
const MOST_IN_ALL = 20_000;

/** A number of jobs. `more`: there may be more than `count`. */
export interface JobCount {
  readonly count: number;
  readonly more: boolean;
}

/** The jobs of one kind in one queue. */
export interface LaneStats extends Lane {
  /** Due and delayed jobs. */
  readonly waiting: JobCount;
  /** Jobs whose time has come, and that no run has. */
  readonly due: JobCount;
  readonly delayed: JobCount;
  /** Due jobs that a pause stops. */
  readonly paused: number;
  /** Jobs of live workers' runs, as these have reported last: every 2 s. */
  readonly running: number;
  /** How long the due job whose time came first has been due, in milliseconds. Null without one. */
  readonly oldestDueMs: number | null;
  /** Whether a live worker takes jobs of this kind from this queue. */
  readonly served: boolean;
  /** Since the begin of the minute before this one. */
  readonly minute: WindowStats;
  /** Since the begin of the 59th minute before this one. */
  readonly hour: WindowStats;
}

/** What workers have settled in a time. Jobs that a client has cancelled do not count. */
export interface WindowStats {
  /** How long the time is, in seconds. */
  readonly seconds: number;
  /** Completed, failed and cancelled jobs. */
  readonly settled: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs after which the job is tried again. */
  readonly retried: number;
  /** From the time a job was due to its claim, in milliseconds. Null without a run. */
  readonly waitedMs: Percentiles | null;
  /** From a job's claim to its settlement, in milliseconds. Null without a run. */
  readonly tookMs: Percentiles | null;
}

/** The jobs by queue and kind, in this order. Without lanes that have no job and had none for an hour. */
export interface Stats {
  readonly lanes: readonly LaneStats[];
}

export async function stats(driver: Pick<Driver, 'backlog' | 'tallied' | 'workers'>): Promise<Stats> {
  const [all, backlog, minute, hour] = await Promise.all([
    driver.workers(),
    driver.backlog(MOST, MOST_IN_ALL),
    driver.tallied(1),
    driver.tallied(59),
  ]);
  const workers = all.filter(({ alive }) => alive);
  const known = [...backlog, ...hour.tallies, ...workers.flatMap(({ running }) => running)];
  const lanes = new Map(known.map(({ queue, kind }) => [nameOf({ queue, kind }), { queue, kind }]));
  return {
    lanes: [...lanes]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, lane]) => ({
        ...waitingOf(lane, backlog, workers),
        served: isServed(lane, workers),
        minute: windowOf(lane, minute),
        hour: windowOf(lane, hour),
      })),
  };
}

function waitingOf(
  lane: Lane,
  backlog: readonly Backlog[],
  workers: readonly WorkerView[],
): Omit<LaneStats, 'served' | 'minute' | 'hour'> {
  const own = workers.flatMap(({ running }) => running.filter((each) => isOf(each, lane)));
  const held = own.reduce((sum, each) => sum + each.held, 0);
  const found = backlog.find((each) => isOf(each, lane));
  const { more = false, moreDelayed = false, paused = 0, oldestDueMs = null } = found ?? {};
  // Of a count that is cut off, the jobs that are held may not be a part.
  const due = { count: Math.max(0, (found?.due ?? 0) - (more ? 0 : held)), more };
  const delayed = { count: found?.delayed ?? 0, more: moreDelayed };
  return {
    ...lane,
    waiting: { count: due.count + delayed.count, more: more || moreDelayed },
    due,
    delayed,
    paused: Math.min(paused, due.count),
    running: own.reduce((sum, each) => sum + each.jobs, 0),
    oldestDueMs: due.count === 0 ? null : oldestDueMs,
  };
}

function windowOf(lane: Lane, { seconds, tallies }: Tallied): WindowStats {
  const found: Tally | undefined = tallies.find((each) => isOf(each, lane));
  const { completed = 0, failed = 0, cancelled = 0, retried = 0, waits = [], runs = [] } = found ?? {};
  const settled = completed + failed + cancelled;
  const times = { waitedMs: percentiles(waits), tookMs: percentiles(runs) };
  return { seconds, settled, completed, failed, cancelled, retried, ...times };
}

function isOf(one: Lane, other: Lane): boolean {
  return one.queue === other.queue && one.kind === other.kind;
}

function nameOf({ queue, kind }: Lane): string {
  return `${queue}\n${kind}`;
}
