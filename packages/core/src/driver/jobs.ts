import type { Enqueued, JobId, JobView, NewJob } from '../job/job.js';
import type { ClientEvent, State } from '../job/lifecycle.js';
import type { Operation } from '../update/operation.js';
import type { JobEntry, JobFilter, Page } from './job-filter.js';
import type { WakeUp } from './wake-up.js';

/** The rows of jobs. On the driver's own pool each verb commits by itself, and joined they are part of the caller's transaction. */
export interface Jobs {
  /**
   * Inserts jobs, in order. Names have up to 128 characters and keys up to 512. Names and keys are compared byte by
   * byte. A job whose unique key is taken is not inserted: its outcome is `duplicate`, with the public id of the job
   * that has the key. Never waits for a running handler.
   * A job with `after` waits, with the time `NEVER`, if one of those jobs is outstanding, until `admit` gives back its own
   * time. Rejects with `JobNotFoundError`, and inserts nothing, if one of them is not in the table. If any job is inserted, wakes workers as `notify` does, in the
   * same message where the database can. On the pool, repeats what a deadlock has undone.
   *
   * @param waitMs On the pool: about how long it may wait for a transaction that has one of the unique keys, in
   * milliseconds. After that it rejects with `LockTimeout`, and nothing is written. Default: as long as the driver
   * waits for an answer, or the server for a lock.
   */
  enqueue(
    jobs: readonly NewJob[],
    wakeUps?: readonly WakeUp[],
    waitMs?: number,
  ): Promise<readonly Enqueued[]>;

  /**
   * The public ids of the jobs that have these unique keys of a kind, as an enqueue finds them, in the same order. Null
   * where a key is free.
   */
  uniqueJobs(kind: string, keys: readonly string[]): Promise<readonly (string | null)[]>;

  /** Reads without locks, in the order of the page. */
  list(filter: JobFilter, page: Page): Promise<JobPage>;

  /** As `list`, without what the jobs carry, and with the states that their rows have. */
  entries(filter: JobFilter, page: Page): Promise<JobPage<JobEntry>>;

  /** As `list`, the number of jobs alone, which is at most `page.limit`. */
  count(filter: JobFilter, page: Page): Promise<CountPage>;

  /**
   * Applies a client's event to up to 100 different jobs, in one transaction, unless a job is locked. Returns what it
   * met, in the same order. Rejects, and moves none, if one of them is refused. A redrive gives back all attempts,
   * including those that uncounted crashes have used up.
   */
  move(event: ClientEvent, publicIds: readonly string[], options?: MoveOptions): Promise<readonly Moved[]>;

  /**
   * Changes a job, its JSON as `apply` defines it, unless the job is locked. One UPDATE, which computes new JSON from
   * that of the locked row. Rejects with `UpdateRefusedError`, and writes nothing, if the value does not fit.
   *
   * @param waitMs On the pool: about how long to wait for a lock, in milliseconds. After that it rejects with
   * `LockTimeout`. Default: it does not wait.
   */
  update(publicId: string, update: JobUpdate, waitMs?: number): Promise<Updated>;
}

export interface JobPage<Listed = JobView> {
  readonly jobs: readonly Listed[];
  /** The `before`, or `after`, of the next page. Null at the end. Also given by a page that ends at its `look`. */
  readonly next: JobId | null;
}

export interface CountPage {
  readonly count: number;
  /** Where the count ended at its `look`: the `before` of the next one. Null where it ended by itself, or at its limit. */
  readonly next: JobId | null;
}

export interface MoveOptions {
  /** How often the jobs were redriven. The event is illegal for a job that was redriven since. */
  readonly redrives?: number | undefined;
  /** As that of `enqueue`. */
  readonly waitMs?: number | undefined;
}

/**
 * The result of `move`. `running`: the job is locked. `illegal`: the event does not start from the job's state.
 * `missing`: there is no such job.
 */
export type Moved =
  | { readonly outcome: 'moved' }
  | {
      readonly outcome: 'running';
      /** How often the job was redriven. */
      readonly redrives: number;
    }
  | { readonly outcome: 'illegal'; readonly status: State }
  | { readonly outcome: 'missing' };

/** A change of a job: of the JSON in one column, of other columns, or of both. */
export interface JobUpdate {
  readonly column: 'metadata' | 'payload';
  /** May be empty. */
  readonly operations: readonly Operation[];
  readonly values?: JobValues;
  /** The states in which a job may be changed. */
  readonly from: readonly State[];
  /** The most bytes of the result, as the database writes JSON. */
  readonly mostBytes: number;
}

/** The columns that an update writes whole. */
export interface JobValues {
  readonly queue?: string;
  readonly priority?: number;
  readonly available?: NewJob['available'];
  /** The latest time, in milliseconds after the job's creation. For `available`. */
  readonly latestMs?: number;
  /** Whether a job that waits for others (`NewJob.after`) keeps its time, whatever `available` is. */
  readonly keepsWaiting?: boolean;
  /** The text of its limits: see `limitsText`. */
  readonly limits?: string;
}

/**
 * The result of `update`. `locked`: another transaction has the job. `illegal`: the job is in another state than those
 * of `from`. `missing`: there is no such job.
 */
export type Updated =
  | { readonly outcome: 'updated' | 'locked' | 'missing' }
  | { readonly outcome: 'illegal'; readonly status: State };
