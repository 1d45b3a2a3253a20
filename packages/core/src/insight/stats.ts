import type { WorkerView } from '../driver/anchor.js';
import type { Driver, Uses } from '../driver/driver.js';
import type { History, StepTally } from '../driver/history.js';
import type { Backlog } from '../driver/insight.js';
import type { Lane } from '../driver/lane.js';
import type { JobCount } from '../job/job.js';
import { settledIn, type WindowStats } from './counts.js';
import { isServed } from './served.js';
import { insightOf } from './surroundings.js';

/**
 * The most due jobs of a queue that are counted, and of all queues together: their kinds are not in the index, so each is
 * looked up. As many delayed ones are counted.
 */
const MOST = 10_000;
const MOST_IN_ALL = 20_000;

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

/** The jobs by queue and kind, in this order. Without lanes that have no job and had none for an hour. */
export interface Stats {
  readonly lanes: readonly LaneStats[];
}

export async function stats(
  driver: Pick<Driver, 'name' | 'insight' | 'history'> & Uses<{ workers: 'list' }>,
): Promise<Stats> {
  const insight = insightOf(driver);
  const [all, backlog, minute, hour] = await Promise.all([
    driver.workers.list(),
    insight.backlog(MOST, MOST_IN_ALL),
    windowBack(driver.history, 1),
    windowBack(driver.history, 59),
  ]);
  const workers = all.filter(({ alive }) => alive);
  const known = [...backlog, ...hour.lanes, ...workers.flatMap(({ running }) => running)];
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

/** The counts of this minute, and of so many before it. */
interface Window {
  readonly seconds: number;
  readonly lanes: readonly Lane[];
  readonly sums: readonly StepTally[];
}

async function windowBack(history: Pick<History, 'tallies'>, minutes: number): Promise<Window> {
  const { now, sums } = await history.tallies({ minutes, step: 60, queue: null, kind: null, byLane: true });
  const seconds = minutes * 60 + (now.getTime() % 60_000) / 1_000;
  return { seconds, lanes: sums.flatMap(({ lane }) => lane ?? []), sums };
}

function windowOf(lane: Lane, { seconds, sums }: Window): WindowStats {
  return { seconds, ...settledIn(sums.filter((each) => each.lane !== null && isOf(each.lane, lane))) };
}

function isOf(one: Lane, other: Lane): boolean {
  return one.queue === other.queue && one.kind === other.kind;
}

function nameOf({ queue, kind }: Lane): string {
  return `${queue}\n${kind}`;
}
