import type { JobId } from '../job/job.js';
import type { Anchor, SessionListener, WorkerInfo } from './anchor.js';
import type { ClaimSession, ClaimSessionOptions } from './claim-session.js';
import type { HistoryEntry, Stretch } from './history.js';
import type { Receipt, RunNote, RunRef, RunStart, RunsStarted } from './run-record.js';
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
  readonly capabilities: Capabilities;

  /** Brings the schema up to date. Safe to call twice, and from many processes at once. */
  migrate(): Promise<MigrationReport>;

  /** Returns the server's limits. Rejects with `SchemaOutdated` unless the schema is the one this driver was built for. */
  verify(): Promise<Verified>;

  /** The verbs of a store inside the caller's open transaction, which the caller ends. */
  join(tx: Tx): Store;

  /** A handle that passes its statements on to another handle, which is resolved at the first use. */
  deferred(handle: () => Promise<Tx>): Tx;

  /** A slot's connection, taken from the pool with its first claim. */
  claimSession(options: ClaimSessionOptions): ClaimSession<Tx>;

  /**
   * Makes jobs claimable whose time has come. Returns when the next delayed job becomes due, and whether a due job of
   * these kinds is in the table now, locked or not.
   */
  survey(lanes: Lanes): Promise<Survey>;

  /**
   * Puts back to `new` the jobs of leases that are over, and of leases whose workers are in `dead`. Returns the workers
   * of other leases that are not alive. Skips a job that its run is just settling.
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
   * Registers a worker, and keeps a session open that proves it alive and receives wake-ups. If sessions are shared,
   * a heartbeat does this: see `BeatingAnchor`. Deletes workers that have been gone for a day. A worker that has not
   * written its stop counts as gone a month after its start. A deleted worker that comes back keeps its id.
   */
  anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor>;

  /** The next jobs in the order of their ids, in any state. Core decides which to delete. Reads without locks. */
  history(stretch: Stretch): Promise<readonly HistoryEntry[]>;

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

  /** Ends every connection that the driver opened. A pool that was passed in stays open. */
  close(): Promise<void>;
}

/** A database's capabilities beyond the contract, as data. The conformance suite checks it. */
export interface Capabilities {
  /** How many connections the driver may have open at once, or null if it has no limit of its own. */
  readonly maxConnections: number | null;
  /** Whether the application takes connections out of the same pool. */
  readonly sharesPool: boolean;
}

/** The server's limits. */
export interface Verified {
  /** The most connections that the server allows, for all clients together. Null if there is no limit. */
  readonly serverConnections: number | null;
  /** What is unsuitable about the server without stopping a worker, each in a sentence. */
  readonly warnings?: readonly string[];
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly applied: readonly string[];
}
