import { apart } from '../driver/apart.js';
import type { Settlement } from '../driver/claim-session.js';
import type { History, RunningJobs, Tally } from '../driver/history.js';
import type { Lane } from '../driver/lane.js';
import { bucketOf, emptyBuckets } from '../insight/buckets.js';
import type { Job, JobId } from '../job/job.js';
import { countedAs } from '../job/lifecycle.js';
import type { Part, PartContext } from '../worker/part.js';
import type { LiveRun } from '../worker/run/live-run.js';
import { Throttle } from '../worker/time/throttle.js';
import { within } from '../worker/time/within.js';

/** The pause between a change and its report, in milliseconds. */
const EVERY_MS = 2_000;

/** How long the last report may take while the worker stops, in milliseconds: the server may be away. */
const LAST_MS = 5_000;

/** How often old tallies are put together, and those of more than a week ago deleted, in milliseconds. */
const FORGET_MS = 3_600_000;

export interface StatisticsParts extends Pick<PartContext, 'workerId' | 'live' | 'clock' | 'log'> {
  readonly driver: { readonly history: Pick<History, 'report'> };
}

type Counted = NonNullable<ReturnType<typeof countedAs>>;

type Counts = { queue: string; kind: string; waits: number[]; runs: number[] } & Record<Counted, number>;

/**
 * Counts what a worker settles, in its memory, and reports it beside the claims. A settlement pays an addition. A process
 * that dies loses the counts of its last seconds, and no job.
 */
export class Statistics implements Part {
  readonly #parts: StatisticsParts;
  /** What there is to report is read at the time of the report. */
  readonly #throttle: Throttle<null>;
  #counts = new Map<string, Counts>();
  #reported = '[]';
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(parts: StatisticsParts) {
    this.#parts = parts;
    this.#throttle = new Throttle(parts.clock, EVERY_MS, () => this.#report());
  }

  began(): void {
    this.#throttle.put(null);
  }

  ended(): void {
    this.#throttle.put(null);
  }

  settled(jobs: readonly Job[], settlements: readonly Settlement[], tookMs: number): void {
    for (const [place, { queue, kind, waitedMs }] of jobs.entries()) {
      const counted = countOf(settlements[place]);
      if (counted === undefined) continue;
      const counts = this.#of(queue, kind);
      counts[counted] += 1;
      add(counts.waits, waitedMs);
      add(counts.runs, tookMs);
    }
  }

  async stop(): Promise<void> {
    const last = this.#throttle.stop().then(() => this.#report());
    await within(this.#parts.clock, LAST_MS, last);
  }

  #of(queue: string, kind: string): Counts {
    const name = `${queue}\n${kind}`;
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const none = { completed: 0, failed: 0, cancelled: 0, retried: 0 };
    const counts = { queue, kind, ...none, waits: emptyBuckets(), runs: emptyBuckets() };
    this.#counts.set(name, counts);
    return counts;
  }

  async #report(): Promise<void> {
    const { live, log, clock } = this.#parts;
    const shown = JSON.stringify(runningJobs(live));
    const counts = this.#counts;
    if (counts.size === 0 && shown === this.#reported) return;
    this.#counts = new Map();
    try {
      // In one order, as other workers add to the same rows.
      const tallies: readonly Tally[] = [...counts]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, of]) => of);
      const { refused } = await apart(tallies, (some) => this.#send(some));
      for (const { member, error } of refused)
        log.warn({ err: error, queue: member.queue, kind: member.kind }, 'statistics were refused');
      const now = clock.now();
      const forgets = now >= this.#forgotAt + FORGET_MS;
      if (tallies.length === 0 || forgets) await this.#send([], forgets);
      this.#reported = shown;
      if (forgets) this.#forgotAt = now;
    } catch (error) {
      // The answer may have been lost alone, so the counts are not reported twice.
      log.debug({ err: error }, 'statistics were not reported');
    }
  }

  /** What runs now is read for each report: a report that is sent again would leave out the runs that have begun since. */
  #send(tallies: readonly Tally[], forgets = false): Promise<void> {
    const { driver, workerId, live } = this.#parts;
    const memory = process.memoryUsage.rss();
    const now = { running: runningJobs(live), runningIds: idsAlone(live), memory };
    return driver.history.report(workerId, { tallies, ...now, forgets });
  }
}

function add(buckets: number[], ms: number): void {
  const place = bucketOf(ms);
  buckets[place] = (buckets[place] ?? 0) + 1;
}

/** Undefined for a job that went back unchanged. */
function countOf(settlement: Settlement | undefined): Counted | undefined {
  if (settlement === undefined) return undefined;
  const { event, error } = settlement;
  // A snooze with an error is a refused payload.
  return event === 'snooze' && error !== null ? 'retried' : countedAs(event);
}

function runningJobs(live: ReadonlySet<LiveRun>): readonly RunningJobs[] {
  const lanes = new Map<string, Lane & Record<'jobs' | 'held' | 'slots', number>>();
  for (const run of live) {
    const { lane, jobs, leased, together } = run;
    if (lane === undefined) continue;
    const { queue, kind } = lane;
    const found = lanes.get(`${queue}\n${kind}`) ?? { queue, kind, jobs: 0, held: 0, slots: 0 };
    found.jobs += jobs.length;
    if (!leased) found.held += jobs.length;
    if (together[0] === run) found.slots += 1;
    lanes.set(`${queue}\n${kind}`, found);
  }
  return [...lanes.values()];
}

/** The jobs of runs that have one job, and a record of their own. */
function idsAlone(live: ReadonlySet<LiveRun>): readonly JobId[] {
  return [...live].flatMap(({ jobs, together }) => (together.length === 1 && jobs.length === 1 ? jobs : []));
}
