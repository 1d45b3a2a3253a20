import type { Rate } from '../admission/rate.js';
import type { JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';
import type { Anchor, SessionListener, WorkerInfo } from './anchor.js';
import type { BegunRun, BegunRunsQuestion } from './begun-runs.js';
import type { CaptureStore } from './capture-store.js';
import type { ClaimSession, ClaimSessionOptions } from './claim-session.js';
import type { Admitted, FollowersLook } from './followers.js';
import type { Front, FrontQuestion } from './front.js';
import type { History } from './history.js';
import type { LimitedJobs, LimitedJobsBounds, TakenSlots } from './limited-jobs.js';
import type { PartsPage, PartsStretch } from './queue-parts.js';
import type { Receipt, RunNote, RunRef, RunStart, RunsStarted } from './run-record.js';
import type { ScheduleStore } from './schedule-store.js';
import type { Schema } from './schema.js';
import type { SharedPool } from './shared-pool.js';
import type { RateTime, Situation, SituationQuestion } from './situation.js';
import type { Backlog } from './statistics.js';
import type { Store } from './store.js';
import type { Lanes, Reclaimed, ReclaimScope, Survey } from './survey.js';

/**
 * A database that can hold jobs. Core decides, and a driver translates into SQL. A driver has no policy, no backoff, no
 * attempt arithmetic and no handler's name. `@rowlock/driver-conformance` tests what each verb must do on every
 * database.
 *
 * @typeParam Tx The handle that a handler writes through, and that a caller may pass to enqueue in its own transaction.
 */
export interface Driver<Tx = unknown> extends Store {
  /** The database's name, for logs: `postgres`, `mysql`. */
  readonly name: string;
  /** The driver's pool, the same for all drivers on it in this process. Null for a driver without one. */
  readonly pool: SharedPool | null;
  readonly schema: Schema;
  readonly history: History;
  readonly schedules: ScheduleStore;
  /** Left out where there are no tables whose changes could be captured. */
  readonly captures?: CaptureStore<Tx>;

  /** The verbs of a store inside the caller's open transaction, which the caller ends. */
  join(tx: Tx): Store;

  /** A handle whose statements go through `sender` to another handle. */
  deferred(sender: Sender<Tx>): Tx;

  /** A slot's connection, taken from the pool with its first claim. */
  claimSession(options: ClaimSessionOptions): ClaimSession<Tx>;

  /**
   * Returns those of these queues that have a due job of these kinds without limits, locked or not, in any order. Paused
   * jobs do not count. By one statement.
   */
  dueQueues(lanes: Lanes): Promise<readonly string[]>;

  /**
   * Makes jobs claimable whose time has come. Returns when the next delayed job becomes due, and whether a due job of
   * these kinds is in the table now, locked or not.
   */
  survey(lanes: Lanes): Promise<Survey>;

  /**
   * Gives back their times to waiting jobs (`NewJob.after`) that wait for no outstanding job any more. A job that is not in
   * the table is not outstanding. Skips jobs that another transaction has. Looks at up to `MOST_FOLLOWED` jobs, in a
   * transaction of its own.
   */
  admit(look: FollowersLook): Promise<Admitted>;

  /**
   * The parts of these queues that have due jobs with limits, locked or not. Those of a queue are in an order of their
   * texts that is always the same. A paused queue is passed over. Parts of a paused limit are looked at, and not
   * returned. Reads without locks, one step for each part.
   */
  limitedParts(stretch: PartsStretch): Promise<PartsPage>;

  /** The states of those of these jobs that exist, by public id, as their rows have them. Up to 1,000. Reads without locks. */
  states(publicIds: readonly string[]): Promise<ReadonlyMap<string, State>>;

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

  /** The due jobs with limits in all queues, also paused ones, and those that a run has. Reads without locks. */
  limitedJobs(bounds: LimitedJobsBounds): Promise<LimitedJobs>;

  /**
   * How many slots of limits are taken at this moment, by jobs and without. A limit without slots may be missing. Keeps
   * no lock that a claim could meet.
   *
   * @param names Which limits. Without them: all that have slots, in the order of their names, up to 1,000.
   */
  takenSlots(names?: readonly string[]): Promise<readonly TakenSlots[]>;

  /**
   * The times of the starts of limits that were ever used. Reads without locks.
   *
   * @param names As that of `takenSlots`.
   */
  rateTimes(names?: readonly string[]): Promise<readonly RateTime[]>;

  /**
   * The jobs at the front of a queue: first leased ones, then due ones in the order of the claim, then delayed ones in
   * the order of their times. Paused jobs too. Of due jobs with limits, each part has an equal share, and at least one
   * job. Adds the first available job of each key that is among these. Reads without locks.
   */
  front(question: FrontQuestion): Promise<Front>;

  /**
   * Takes a start of each of these rates, or of none. The rates are in the order of their names. By the database's
   * clock, as `startAt` defines it, in a transaction of its own. Numbers that `setLimit` has set count in place of those
   * given.
   *
   * @param take The id of this take, a UUID.
   * @returns How long until each rate allows a start, in milliseconds, in the same order. All 0: the starts are taken.
   */
  takeStarts(rates: readonly Rate[], take: string): Promise<readonly number[]>;

  /**
   * Gives back the starts of a take: the rates are as before. A rate from which another start was taken since then stays
   * as it is, as its pauses were counted from this start.
   *
   * @param names In order.
   */
  giveBackStarts(names: readonly string[], take: string): Promise<void>;

  /**
   * Puts back to `new` the jobs of leases that are over, of leases whose workers are in `dead`, and of the calling
   * worker's runs that have ended. Returns the workers of other leases that are not alive. Skips a job that its run is
   * just settling. Gives back the slots of the runs whose jobs it puts back.
   */
  reclaim(scope: ReclaimScope): Promise<Reclaimed>;

  /**
   * Writes, outside the claims' transactions, that runs begin. The runs are of one job each, or it is one run of
   * several jobs, whose record is one row until it ends. The caller holds the jobs' locks, so any unfinished run of
   * these jobs has crashed. If there is one, nothing is written: end it first, with `endCrashed`.
   */
  startRuns(runs: readonly RunStart[]): Receipt<RunsStarted>;

  /**
   * Ends these runs of these jobs as `reclaim`. The caller must confirm its claim after it found these runs. Otherwise
   * a worker that was frozen meanwhile would end runs of the next claim.
   */
  endCrashed(runIds: readonly string[], jobs: readonly JobId[]): Promise<void>;

  /** Writes to the record of a run that is not over, from outside the claim's transaction. */
  noteRun(run: RunRef, note: RunNote): Promise<void>;

  /**
   * The runs that began in a time and are on record, newest first, each with its job: see `runsOf`. Leaves out the runs of
   * workers whose rows are gone, and those whose jobs are gone. Reads without locks, by the workers' newest runs.
   */
  begunRuns(question: BegunRunsQuestion): Promise<readonly BegunRun[]>;

  /**
   * Registers a worker, and keeps a session open that proves it alive and receives wake-ups. If sessions are shared,
   * a heartbeat does this: see `BeatingAnchor`. Deletes workers that have been gone for a day. A worker that has not
   * written its stop counts as gone a month after its start. A deleted worker that comes back keeps its id.
   */
  anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor>;

  /**
   * Deletes slots of limits that nobody has, and that were made at least `ageMs` milliseconds ago. A limit makes slots
   * again when it needs them. Looks at up to 100 limits, in the order of their names, behind the name `beyond`. Leaves
   * those alone whose `max` was set. Deletes nothing while somebody takes a slot of the same limit.
   *
   * @returns the last name, or null if none is behind it
   */
  pruneSlots(beyond: string, ageMs: number): Promise<string | null>;

  /** Ends every connection that the driver opened. A pool that was passed in stays open. */
  close(): Promise<void>;
}

export interface Sender<Tx> {
  /** Sends a statement through another handle, once it may be sent. Resolves with the statement's answer. */
  send<Answer>(statement: (handle: Tx) => Promise<Answer>): Promise<Answer>;
}
