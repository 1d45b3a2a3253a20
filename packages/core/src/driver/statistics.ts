import type { JobId } from '../job/job.js';

/** How jobs of a queue and kind ended, and how long they took. */
export interface Tally extends Lane {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs after which the job is tried again. */
  readonly retried: number;
  /** How many jobs were claimed after each time of waiting: see `BUCKETS`. */
  readonly waits: readonly number[];
  /** How many runs took each time. */
  readonly runs: readonly number[];
}

/** The jobs of one kind in one queue. */
export interface Lane {
  readonly queue: string;
  readonly kind: string;
}

/** Jobs that a worker has now. */
export interface RunningJobs extends Lane {
  readonly jobs: number;
  /** Those of held claims, whose rows are `new`. */
  readonly held: number;
}

/** What a worker has counted since its last report, and what it has now. */
export interface StatisticsReport {
  readonly tallies: readonly Tally[];
  readonly running: readonly RunningJobs[];
  /**
   * The jobs of its runs of one job each. All such runs that were on record when its report before was written are among them, unless they
   * have ended.
   */
  readonly runningIds: readonly JobId[];
}

/** Sums of tallies since the begin of a minute. */
export interface Tallied {
  /** How long that is ago, in seconds. */
  readonly seconds: number;
  readonly tallies: readonly Tally[];
}

/** The jobs of a queue and kind that wait, by their rows. */
export interface Backlog extends Lane {
  /** Those whose time has come. Jobs that a held claim has count too. */
  readonly due: number;
  /** The due ones that a pause stops. */
  readonly paused: number;
  readonly delayed: number;
  /** Whether the queue may have more due jobs, or more delayed ones, than were counted. */
  readonly more: boolean;
  readonly moreDelayed: boolean;
  /** How long the due job whose time came first has been due, in milliseconds. */
  readonly oldestDueMs: number | null;
}
