import type { Clock } from '../clock.js';
import type { Uses } from '../driver/driver.js';
import type { JobFilter } from '../driver/job-filter.js';
import { type Duration, milliseconds } from '../duration.js';
import { ClosedError } from '../errors.js';
import type { JobCount } from '../job/job.js';
import { countedAs, type SettlingEvent, type State } from '../job/lifecycle.js';
import { checkOptions } from '../known-options.js';
import { Alarm } from './time/alarm.js';
import { type StopOptions, WORKER_OPTIONS, type Worker, type WorkerOptions } from './worker.js';

export interface UntilIdleOptions extends WorkerOptions, StopOptions {
  /**
   * How long jobs are claimed. Then the worker stops, so the call takes up to `drain` and 5 s longer. Beyond 24 days it is
   * these. Default: until it is idle.
   */
  readonly atMost?: Duration;
  /** Stops the worker, as the end of `atMost` does. */
  readonly signal?: AbortSignal;
}

/** What the worker of `runUntilIdle` has done, and what remains. */
export interface WorkReport {
  /** What has ended it: nothing was left that it could run, or that option. */
  readonly ended: 'idle' | 'atMost' | 'signal';
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs after which the job is tried again. */
  readonly retried: number;
  readonly remaining: RemainingJobs;
}

/** The outstanding jobs of the worker's queues and kinds. */
export interface RemainingJobs {
  /** Due and delayed jobs, up to 10,000. */
  readonly waiting: JobCount;
  /** Jobs that other workers run, up to 10,000. */
  readonly running: JobCount;
  /** Whether a job is due that no pause stops. After `idle`, others have it or its key, or it waits for a limit. */
  readonly due: boolean;
  /**
   * Milliseconds until the next delayed job is due, a schedule fires or a pause ends: then it is worthwhile to call again.
   * Null without any of these.
   */
  readonly nextMs: number | null;
}

/**
 * How long nothing can be claimed of what is due until it is left to others, in milliseconds. A worker looks again twice in
 * this time, and two that refuse each other come back. Jobs that follow others are let go, and schedules fire.
 */
const QUIET_MS = 500;

/**
 * The same while a worker with leases is missing. After a second it counts as dead, and its jobs are put back. A process that
 * stalls begins that second again, and the database may refuse to put back a job.
 */
const MISSING_MS = 10_000;

export interface UntilIdleParts<Tx> {
  readonly worker: Worker<Tx>;
  readonly driver: Uses<{ claims: 'survey' | 'reclaim' }>;
  readonly clock: Clock;
  /** Counts the jobs that a filter means. */
  readonly count: (filter: JobFilter) => Promise<JobCount>;
}

/** @returns the options of the worker. @throws InvalidInputError */
export function checkUntilIdle(options: UntilIdleOptions): WorkerOptions {
  checkOptions('runUntilIdle()', options, [...WORKER_OPTIONS, 'atMost', 'drain', 'signal']);
  const { atMost = 0, drain = 0, signal: _, ...own } = options;
  milliseconds(atMost, 'atMost');
  milliseconds(drain, 'drain');
  return own;
}

/** A worker from its start to its stop, as soon as it has nothing to do. */
export class UntilIdle<Tx> {
  readonly #parts: UntilIdleParts<Tx>;
  readonly #over = Promise.withResolvers<WorkReport['ended']>();
  readonly #sums = { completed: 0, failed: 0, cancelled: 0, retried: 0 };
  /** Rings when the worker may have found nothing to run for long enough, which a look then decides. */
  readonly #quiet: Alarm;
  /** How long it may find nothing until it ends, as of the last look, and since when it has found nothing. */
  #quietMs = Number.POSITIVE_INFINITY;
  #quietSince = 0;
  /** How many looks and runs have begun. */
  #begun = 0;

  constructor(parts: UntilIdleParts<Tx>) {
    this.#parts = parts;
    const look = (): void => void this.#look().catch(this.#over.reject);
    this.#quiet = new Alarm(parts.clock, look);
    // The database may be closed before the worker has started.
    this.#over.promise.catch(() => {});
    parts.worker
      .on('settled', (_, endings) => this.#settled(endings.values()))
      .on('run', () => this.#run())
      .on('idle', look)
      .on('stop', () => this.#over.reject(new ClosedError()));
  }

  /** @throws As `worker.start()`, ClosedError; DriverError when the database cannot be looked at. */
  async run({ atMost, drain, signal }: UntilIdleOptions): Promise<WorkReport> {
    const { worker, clock } = this.#parts;
    const time = new Alarm(clock, () => this.#over.resolve('atMost'));
    if (atMost !== undefined) time.within(milliseconds(atMost, 'atMost'));
    const stopped = (): void => this.#over.resolve('signal');
    signal?.addEventListener('abort', stopped);
    try {
      if (signal?.aborted === true) stopped();
      // A start may take long too.
      else await Promise.race([worker.start(), this.#over.promise]);
      const ended = await this.#over.promise;
      await worker.stop(drain === undefined ? {} : { drain });
      return { ended, ...this.#sums, remaining: await this.#remaining() };
    } finally {
      for (const alarm of [time, this.#quiet]) alarm.stop();
      signal?.removeEventListener('abort', stopped);
      await worker.stop();
    }
  }

  #settled(endings: Iterable<SettlingEvent>): void {
    for (const event of endings) {
      const counted = countedAs(event);
      if (counted !== undefined) this.#sums[counted] += 1;
    }
  }

  #run(): void {
    this.#begun += 1;
    this.#quietMs = Number.POSITIVE_INFINITY;
    this.#quiet.stop();
  }

  /** The worker is idle. It stays so unless the rows say that there is more to do than it has heard of. */
  async #look(): Promise<void> {
    const { worker, clock } = this.#parts;
    const look = ++this.#begun;
    const { quietMs, hasMore } = await this.#find();
    // If a run has begun meanwhile, the worker will be idle once more.
    if (look !== this.#begun) return;
    // Less than at the last look: a worker that was missing is back, or its jobs are.
    const isBack = quietMs < this.#quietMs;
    if (isBack) this.#quietSince = clock.now();
    if (hasMore || (isBack && quietMs > 0)) worker.wake();
    this.#quietMs = quietMs;
    const leftMs = this.#quietSince + quietMs - clock.now();
    if (leftMs <= 0) this.#over.resolve('idle');
    else this.#quiet.within(leftMs);
  }

  /** How long the worker may still find something, and whether it may as of this look. */
  async #find(): Promise<{ readonly quietMs: number; readonly hasMore: boolean }> {
    const { worker, driver } = this.#parts;
    const { promoted, waiting, followers, leased, nextTickMs } = await driver.claims.survey(worker);
    const found = leased ? await driver.claims.reclaim({ queues: worker.queues, dead: [] }) : undefined;
    const hasMore = promoted > 0 || (found !== undefined && found.reclaimed > 0);
    if (found !== undefined && found.missing.length > 0) return { quietMs: MISSING_MS, hasMore };
    const isTick = nextTickMs !== null && nextTickMs <= 0;
    return { quietMs: hasMore || waiting || followers || isTick ? QUIET_MS : 0, hasMore };
  }

  async #remaining(): Promise<RemainingJobs> {
    const { worker, driver, count } = this.#parts;
    const counted = (status: State) => count({ queue: worker.queues, kind: worker.kinds, status });
    const { waiting: due, promoted, nextDueMs, nextTickMs } = await driver.claims.survey(worker);
    const next = [nextDueMs, nextTickMs].filter((ms) => ms !== null);
    return {
      waiting: await counted('new'),
      running: await counted('in-progress'),
      due: due || promoted > 0,
      nextMs: next.length === 0 ? null : Math.max(0, Math.min(...next)),
    };
  }
}
