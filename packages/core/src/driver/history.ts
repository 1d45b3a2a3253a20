import type { JobId } from '../job/job.js';
import type { Lane } from './lane.js';

/** What is over: settled jobs, which are deleted some time, and what workers have counted. */
export interface History {
  /**
   * SKIP LOCKED. Deletes those of these jobs, up to 1,000, that have been settled for at least `settledMs`
   * milliseconds. Deletes the records of their runs too. Returns the number of jobs.
   */
  prune(jobs: readonly JobId[], settledMs: number): Promise<number>;

  /**
   * Whether it is this worker's turn to prune. The turn lasts `forMs` milliseconds from now, and no other worker has
   * it. A worker that has the turn renews it. Two workers may take it in the same moment, which does no harm.
   */
  takePruneTurn(workerId: string, forMs: number): Promise<boolean>;

  /**
   * Adds what a worker has counted to the sums of this minute, and writes what it has now. Commits without a flush where
   * the database can.
   */
  report(workerId: string, report: StatisticsReport): Promise<void>;

  /** The sums of what workers have counted, in each step of minutes. Reads no job. */
  tallies(question: TalliesQuestion): Promise<Tallies>;
}

/** How jobs ended, and how long they took. */
export interface Counts {
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

/** The counts of a queue and kind. */
export interface Tally extends Lane, Counts {}

/** Jobs that a worker has now. */
export interface RunningJobs extends Lane {
  readonly jobs: number;
  /** Those of held claims, whose rows are `new`. */
  readonly held: number;
  /** How many of the worker's slots they take. Undefined: its version of Rowlock does not say it. */
  readonly slots?: number;
}

/** What a worker has counted since its last report, and what it has now. */
export interface StatisticsReport {
  /** In one order for all workers. */
  readonly tallies: readonly Tally[];
  readonly running: readonly RunningJobs[];
  /**
   * The jobs of its runs of one job each. All such runs that were on record when its report before was written are among them, unless they
   * have ended.
   */
  readonly runningIds: readonly JobId[];
  /** The resident memory of its process, in bytes. Default: as it was. */
  readonly memory?: number;
  /** Whether to put up to 100,000 sums of minutes over four hours ago together by ten, and delete 10,000 of over a week ago. Default: false. */
  readonly forgets?: boolean;
}

/** Which sums: those that begin in this minute, or in so many whole minutes before it, by the database's clock. */
export interface TalliesQuestion {
  readonly minutes: number;
  /** How many minutes are one sum. */
  readonly step: number;
  /** Null: all queues. */
  readonly queue: string | null;
  /** Null: all kinds. */
  readonly kind: string | null;
  /** Whether each queue and kind has sums of its own. */
  readonly byLane: boolean;
}

/** The sum of a step. */
export interface StepTally extends Counts {
  /** When the step begins: a whole number of steps since 1970. */
  readonly at: Date;
  /** Null: of all kinds. */
  readonly lane: Lane | null;
}

export interface Tallies {
  /** The database's clock. */
  readonly now: Date;
  /** In the order of their times. A step without a count is missing. */
  readonly sums: readonly StepTally[];
}
