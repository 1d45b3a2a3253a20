import { InvalidInputError } from '@rowlock/core';
import type { Insight, Jobs, LaneStats, LimitSettings, LimitView, Schedules } from '@rowlock/core/types';
import { within } from '../within.js';
import { DATABASE_GAUGES, type Metric } from './catalogue.js';
import type { Reading } from './meter.js';

/** The calls of a Rowlock whose answers are gauges. */
export interface Watched {
  readonly jobs: Pick<Jobs, 'pauses'>;
  readonly insight: Pick<Insight, 'workers' | 'stats'>;
  readonly limits: Pick<LimitSettings, 'list'>;
  readonly schedules: Pick<Schedules, 'list'>;
}

/** How long the answers count, in milliseconds. Several collectors may come at once. */
const FRESH_MS = 5_000;

/** How long the schedules count, in milliseconds: all of them are read. */
const FRESH_SCHEDULES_MS = 30_000;

/** How long to wait for the answers, in milliseconds. A collector waits for 10 s. */
const ANSWER_MS = 2_000;

/** Without any answer for so long the database counts as down, in milliseconds. */
const DOWN_MS = 30_000;

/** The most limits, schedules and pauses that have gauges. Each tenant may have one. */
const MOST_NAMES = 100;

/** The most pairs of queue and kind that have gauges, and the most queues without workers that are remembered. */
const MOST_LANES = 500;

/** None reads the history. */
const READS: readonly ((rowlock: Watched) => Promise<readonly Reading[]>)[] = [
  workersAlive,
  waiting,
  paused,
  limited,
  scheduled,
];

/** The gauges of a database. */
export class DatabaseGauges {
  readonly #rowlock: Watched;
  #answer: Promise<readonly Reading[]> | null = null;
  #readAt = 0;
  /** The last answers, which count while the next ones are late. */
  readonly #last: (readonly Reading[])[] = READS.map(() => []);
  readonly #pending = new Map<number, Promise<readonly Reading[]>>();
  #schedulesAt = Number.NEGATIVE_INFINITY;
  #answeredAt = performance.now();
  /** The queues that were seen last to have workers or jobs: a series that goes away would end its alert. */
  readonly #queues = new Set<string>();

  constructor(rowlock: Watched) {
    this.#rowlock = rowlock;
  }

  /** Never rejects. A slow database keeps its last gauges. It is down if it refuses, or has not answered for 30 s. */
  read(): Promise<readonly Reading[]> {
    const now = performance.now();
    if (this.#answer === null || now - this.#readAt > FRESH_MS) {
      this.#readAt = now;
      this.#answer = this.#read();
    }
    return this.#answer;
  }

  async #read(): Promise<readonly Reading[]> {
    const ends = await Promise.all(READS.map((_, place) => this.#look(place)));
    const isSlow = ends.includes('late');
    const isDown = ends.includes('refused') || (isSlow && performance.now() - this.#answeredAt > DOWN_MS);
    const states = [
      { metric: DATABASE_GAUGES.up, labels: {}, value: isDown ? 0 : 1 },
      { metric: DATABASE_GAUGES.slow, labels: {}, value: isSlow ? 1 : 0 },
    ];
    return isDown ? states : [...states, ...this.#withQueues(this.#last.flat())];
  }

  /** One read at a time of each kind, however long it takes. */
  async #look(place: number): Promise<'answered' | 'late' | 'refused'> {
    const isFresh = performance.now() - this.#schedulesAt < FRESH_SCHEDULES_MS;
    if (READS[place] === scheduled && isFresh) return 'answered';
    const read = this.#pending.get(place) ?? this.#begin(place);
    try {
      await within(ANSWER_MS, read);
      return 'answered';
    } catch {
      return this.#pending.get(place) === read ? 'late' : 'refused';
    }
  }

  #begin(place: number): Promise<readonly Reading[]> {
    const read = (async () => (await READS[place]?.(this.#rowlock)) ?? [])();
    this.#pending.set(place, read);
    read
      .then((readings) => {
        this.#last[place] = readings;
        this.#answeredAt = performance.now();
        if (READS[place] === scheduled) this.#schedulesAt = this.#answeredAt;
      })
      .catch(() => {})
      .finally(() => this.#pending.delete(place));
    return read;
  }

  /** A queue without a live worker has 0, whether its workers have ended long ago, or none was ever there. */
  #withQueues(readings: readonly Reading[]): readonly Reading[] {
    for (const { labels } of readings) if (labels.queue !== undefined) this.#remember(labels.queue);
    const { workersAlive: metric } = DATABASE_GAUGES;
    const known = new Set(readings.flatMap((each) => (each.metric === metric ? [each.labels.queue] : [])));
    const others = [...this.#queues].filter((queue) => !known.has(queue));
    return [...readings, ...others.map((queue) => ({ metric, labels: { queue }, value: 0 }))];
  }

  #remember(queue: string): void {
    this.#queues.delete(queue);
    this.#queues.add(queue);
    const [oldest] = this.#queues;
    if (this.#queues.size > MOST_LANES && oldest !== undefined) this.#queues.delete(oldest);
  }
}

/** A queue whose workers have all ended within the last hour has 0. */
async function workersAlive(rowlock: Watched): Promise<readonly Reading[]> {
  const workers = await rowlock.insight.workers();
  const queues = new Set(workers.flatMap(({ queues }) => queues));
  return [...queues].map((queue) => ({
    metric: DATABASE_GAUGES.workersAlive,
    labels: { queue },
    value: workers.filter(({ alive, queues }) => alive && queues.includes(queue)).length,
  }));
}

/** A driver that leaves insight out, as that in memory, has the other gauges. */
async function waiting(rowlock: Watched): Promise<readonly Reading[]> {
  const { lanes } = await rowlock.insight.stats().catch((error: unknown) => {
    if (error instanceof InvalidInputError) return { lanes: [] };
    throw error;
  });
  return latest(lanes).flatMap(({ queue, kind, waiting: { count }, due, oldestDueMs, served }) => {
    const labels = { queue, kind };
    return [
      { metric: DATABASE_GAUGES.waiting, labels, value: count },
      { metric: DATABASE_GAUGES.oldestDue, labels, value: (oldestDueMs ?? 0) / 1_000 },
      { metric: DATABASE_GAUGES.unserved, labels, value: served ? 0 : due.count },
    ];
  });
}

async function paused(rowlock: Watched): Promise<readonly Reading[]> {
  const pauses = await rowlock.jobs.pauses();
  const newest = pauses.toSorted((one, other) => other.pausedAt.getTime() - one.pausedAt.getTime());
  return newest.slice(0, MOST_NAMES).map(({ scope, name }) => ({
    metric: DATABASE_GAUGES.paused,
    labels: { scope, name },
    value: 1,
  }));
}

/** A program without the right to look at slots has the other gauges. */
async function limited(rowlock: Watched): Promise<readonly Reading[]> {
  const limits = await rowlock.limits.list().catch(() => []);
  return busiest(limits).flatMap(({ name, max, taken, starts, nextAt, waiting }) => {
    const reading = (metric: Metric, value: number): Reading => ({ metric, labels: { limit: name }, value });
    return [
      ...(max === null ? [] : [reading(DATABASE_GAUGES.limitMax, max)]),
      ...(max === null && taken === 0 ? [] : [reading(DATABASE_GAUGES.limitTaken, taken)]),
      ...(starts === null ? [] : [reading(DATABASE_GAUGES.limitNextStart, secondsUntil(nextAt))]),
      reading(DATABASE_GAUGES.limitWaiting, waiting.count),
    ];
  });
}

/** Schedules that are all right have no gauge. Those that have skipped a tick last come first. */
async function scheduled(rowlock: Watched): Promise<readonly Reading[]> {
  const schedules = await rowlock.schedules.list();
  const skipped = schedules.flatMap(({ name, skipped }) => (skipped === null ? [] : { name, ...skipped }));
  const broken = schedules.filter((schedule) => schedule.broken !== null);
  return [
    ...skipped
      .toSorted((one, other) => other.lastTick.getTime() - one.lastTick.getTime())
      .slice(0, MOST_NAMES)
      .map(({ name, count }) => ({
        metric: DATABASE_GAUGES.skipped,
        labels: { schedule: name },
        value: count,
      })),
    ...broken
      .slice(0, MOST_NAMES)
      .map(({ name }) => ({ metric: DATABASE_GAUGES.broken, labels: { schedule: name }, value: 1 })),
  ];
}

function secondsUntil(time: Date | null): number {
  return time === null ? 0 : Math.max(0, time.getTime() - Date.now()) / 1_000;
}

/** Those whose jobs have been due the longest, and then those with none. */
function latest(lanes: readonly LaneStats[]): readonly LaneStats[] {
  const late = ({ oldestDueMs }: LaneStats): number => oldestDueMs ?? -1;
  return lanes.toSorted((one, other) => late(other) - late(one)).slice(0, MOST_LANES);
}

/** Those for which most jobs wait. */
function busiest(views: readonly LimitView[]): readonly LimitView[] {
  return views.toSorted((one, other) => other.waiting.count - one.waiting.count).slice(0, MOST_NAMES);
}
