import type { LimitNumbers } from '../admission/limits-text.js';
import type { Enqueued, JobId, JobView, NewJob } from '../job/job.js';
import type { ClientEvent, State } from '../job/lifecycle.js';
import type { Operation } from '../update/operation.js';
import type { WorkerView } from './anchor.js';
import type { JobFilter, JobIds, Page } from './job-filter.js';
import type { NewPause, PauseMode, PauseTarget, PauseView } from './pause.js';
import type { RunView } from './run-view.js';
import type { JoinableSchedules } from './schedule-store.js';
import type { WakeUp } from './wake-up.js';

/**
 * Verbs that stand alone. On the driver's own pool each verb commits by itself. After `join` the verbs are part of the
 * caller's transaction.
 */
export interface Store {
  readonly schedules: JoinableSchedules;

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

  /** Reads without locks, newest first. */
  list(filter: JobFilter, page: Page): Promise<JobPage>;

  /** As `list`, the ids alone. */
  listIds(filter: JobFilter, page: Page): Promise<JobIdPage>;

  /** As `list`, the number of jobs alone, which is at most `page.limit`. */
  count(filter: JobFilter, page: Page): Promise<JobCount>;

  /** The runs of a job that are on record, oldest first: see `runsOf`. Undefined if there is no such job. */
  jobRuns(publicId: string): Promise<readonly RunView[] | undefined>;

  /**
   * Applies a client's event to a job, unless the job is locked, and returns what it met. A redrive gives back all
   * attempts, including those that uncounted crashes have used up.
   *
   * @param redrives How often the job was redriven. The event is illegal for a job that was redriven since.
   */
  move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved>;

  /**
   * `move` of up to 100 different jobs, in one transaction. Returns what it met, in the same order. Rejects, and moves
   * none, if one of them is refused.
   *
   * @param waitMs As that of `enqueue`.
   */
  moveAll(event: ClientEvent, publicIds: readonly string[], waitMs?: number): Promise<readonly Moved[]>;

  /**
   * Changes a job, its JSON as `apply` defines it, unless the job is locked. One UPDATE, which computes new JSON from
   * that of the locked row. Rejects with `UpdateRefusedError`, and writes nothing, if the value does not fit.
   *
   * @param waitMs On the pool: about how long to wait for a lock, in milliseconds. After that it rejects with
   * `LockTimeout`. Default: it does not wait.
   */
  update(publicId: string, update: JobUpdate, waitMs?: number): Promise<Updated>;

  /** Wakes workers. On the pool at once. Joined, when the transaction commits, and only then. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;

  /**
   * Sets the numbers of a limit for all takers, in place of what they say, and of an earlier setting. What is left out is
   * as they say. Null: all is as they say again. Those who have slots keep them, and earlier starts count on.
   *
   * @param by Who sets it.
   */
  setLimit(name: string, numbers: LimitNumbers | null, by: string): Promise<void>;

  /** The limits whose numbers were set, in the order of their names, up to 1,000. */
  limits(): Promise<readonly LimitSetting[]>;

  /**
   * Pauses work, in place of an earlier pause of the same target. No claim that begins after the commit takes a job of
   * it. Jobs that are claimed already go on. Also deletes pauses that have ended. Wakes workers with the commit.
   *
   * @param mode With `extend`, an earlier pause that ends later, or never, stays as it is. Default: `replace`.
   */
  pause(pause: NewPause, mode?: PauseMode): Promise<void>;

  /** Ends the pause of this target, if there is one. Other pauses stay. Wakes workers with the commit. */
  resume(target: PauseTarget): Promise<void>;

  /** The pauses that have not ended, in the order of their scopes and names, up to 1,000. */
  pauses(): Promise<readonly PauseView[]>;

  /** The workers that are alive, and those that stopped within the last hour. */
  workers(): Promise<readonly WorkerView[]>;
}

/** A limit whose numbers were set at run time. */
export interface LimitSetting extends LimitNumbers {
  readonly name: string;
  readonly setAt: Date;
  readonly setBy: string;
}

export interface JobPage {
  readonly jobs: readonly JobView[];
  /** The `before` of the next page. Null at the end. Also given by a page that ends at its `look`. */
  readonly next: JobId | null;
}

export interface JobIdPage {
  readonly jobs: readonly JobIds[];
  /** As that of `JobPage`. */
  readonly next: JobId | null;
}

export interface JobCount {
  readonly count: number;
  /** Where the count ended at its `look`: the `before` of the next one. Null where it ended by itself, or at its limit. */
  readonly next: JobId | null;
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
