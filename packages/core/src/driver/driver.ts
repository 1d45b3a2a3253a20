import type { Admission, JoinableAdmission } from './admission.js';
import type { BegunRun, BegunRunsQuestion } from './begun-runs.js';
import type { CaptureStore } from './capture-store.js';
import type { Claims } from './claims.js';
import type { Followers } from './followers.js';
import type { Front, FrontQuestion } from './front.js';
import type { History } from './history.js';
import type { Jobs } from './jobs.js';
import type { JoinableSchedules, ScheduleStore } from './schedule-store.js';
import type { Schema } from './schema.js';
import type { SharedPool } from './shared-pool.js';
import type { Situation, SituationQuestion } from './situation.js';
import type { Backlog } from './statistics.js';
import type { JoinableWorkers, Workers } from './workers.js';

/**
 * A database that can hold jobs. Core decides, and a driver translates into SQL. A driver has no policy, no backoff, no
 * attempt arithmetic and no handler's name. `@rowlock/driver-conformance` tests what each verb must do on every
 * database.
 *
 * @typeParam Tx The handle that a handler writes through, and that a caller may pass to enqueue in its own transaction.
 */
export interface Driver<Tx = unknown> {
  /** The database's name, for logs: `postgres`, `mysql`. */
  readonly name: string;
  /** The driver's pool, the same for all drivers on it in this process. Null for a driver without one. */
  readonly pool: SharedPool | null;
  readonly schema: Schema;
  readonly jobs: Jobs;
  readonly claims: Claims<Tx>;
  readonly workers: Workers;
  readonly admission: Admission;
  readonly followers: Followers;
  readonly history: History;
  readonly schedules: ScheduleStore;
  /** Left out where there are no tables whose changes could be captured. */
  readonly captures?: CaptureStore<Tx>;

  /** The verbs that can be part of the caller's open transaction, which the caller ends. */
  join(tx: Tx): Joined;

  /**
   * The waiting jobs of all queues, by queue and kind. Of each queue counts the first `most` due jobs in the order of the
   * claim, and as many delayed ones. Reads without locks.
   *
   * @param inAll The most of all queues together. Each queue has an equal share of them, and at least 100. Default: no
   * bound.
   */
  backlog(most: number, inAll?: number): Promise<readonly Backlog[]>;

  /**
   * Finds what may be in the way of a job, by the conditions of the claim. Reads without locks. Undefined: there is no
   * such job.
   */
  situation(question: SituationQuestion): Promise<Situation | undefined>;

  /**
   * The jobs at the front of a queue: first leased ones, then due ones in the order of the claim, then delayed ones in
   * the order of their times. Paused jobs too. Of due jobs with limits, each part has an equal share, and at least one
   * job. Adds the first available job of each key that is among these. Reads without locks.
   */
  front(question: FrontQuestion): Promise<Front>;

  /**
   * The runs that began in a time and are on record, newest first, each with its job: see `runsOf`. Leaves out the runs of
   * workers whose rows are gone, and those whose jobs are gone. Reads without locks, by the workers' newest runs.
   */
  begunRuns(question: BegunRunsQuestion): Promise<readonly BegunRun[]>;

  /** Ends every connection that the driver opened. A pool that was passed in stays open. */
  close(): Promise<void>;
}

/** The verbs that a caller's transaction may have. They take effect with its commit, or not at all. */
export interface Joined {
  readonly jobs: Jobs;
  readonly workers: JoinableWorkers;
  readonly admission: JoinableAdmission;
  readonly schedules: JoinableSchedules;
}

/** Some verbs of a driver, by their contracts: `Uses<{ claims: 'survey' | 'reclaim' }>`. */
export type Uses<
  Verbs extends { readonly [Contract in keyof Driver]?: keyof Driver[Contract] },
  Tx = unknown,
> = {
  readonly [Contract in keyof Verbs & keyof Driver]: Pick<
    Driver<Tx>[Contract],
    Verbs[Contract] & keyof Driver[Contract]
  >;
};
