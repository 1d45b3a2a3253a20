import type { Json } from '../job/json.js';
import type { ClaimSession, ClaimSessionOptions } from './claim-session.js';
import type { Receipt, RunRef, RunStart, RunsStarted } from './run-record.js';
import type { Lanes, Reclaimed, ReclaimScope, Survey } from './survey.js';

/** How workers find jobs, claim them and put their runs on record. */
export interface Claims<Tx> {
  /** A slot's connection, taken from the pool with its first claim. */
  session(options: ClaimSessionOptions): ClaimSession<Tx>;

  /** A handle whose statements go through `sender` to another handle. */
  deferred(sender: Sender<Tx>): Tx;

  /**
   * Returns those of these queues that have a due job of these kinds without limits, locked or not, in any order. Paused
   * jobs do not count. By one statement.
   */
  dueQueues(lanes: Lanes): Promise<readonly string[]>;

  /**
   * Makes jobs claimable whose time has come. Returns when the next delayed job becomes due, and whether a due job of
   * these kinds is in the table now, locked or not.
   *
   * @param except The public ids of delayed jobs to leave out.
   */
  survey(lanes: Lanes, except?: readonly string[]): Promise<Survey>;

  /**
   * Puts back to `new` the jobs of leases that are over, of leases whose workers are in `dead`, and of the calling
   * worker's runs that have ended. Returns the workers of other leases that are not alive. Skips a job that its run is
   * just settling. Gives back the slots of the runs whose jobs it puts back.
   */
  reclaim(scope: ReclaimScope): Promise<Reclaimed>;

  /**
   * Writes, outside the claims' transactions, that runs begin. The runs are of one job each, or it is one run of
   * several jobs, whose record is one row until it ends. The caller holds the jobs' locks, so any unfinished run of
   * these jobs has crashed. If there is one that is not in `crashed`, no run begins.
   *
   * @param crashed The ids of unfinished runs of these jobs, as an earlier call has found them. They are ended first, as
   * `reclaim`. The caller must confirm its claim after it found them. Otherwise a worker that was frozen meanwhile would
   * end runs of the next claim.
   */
  startRuns(runs: readonly RunStart[], crashed: readonly string[]): Receipt<RunsStarted>;

  /** Writes the progress of a run that is not over to its record, from outside the claim's transaction. */
  noteRun(run: RunRef, progress: Json): Promise<void>;
}

export interface Sender<Tx> {
  /** Sends a statement through another handle, once it may be sent. Resolves with the statement's answer. */
  send<Answer>(statement: (handle: Tx) => Promise<Answer>): Promise<Answer>;
}
