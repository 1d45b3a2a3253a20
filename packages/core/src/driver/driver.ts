import type { JobId } from '../job/job.js';
import type { Anchor, SessionListener, WorkerInfo } from './anchor.js';
import type { ClaimSession, ClaimSessionOptions } from './claim-session.js';
import type { HistoryEntry, Stretch } from './history.js';
import type { Receipt, RunNote, RunRef, RunStart, RunsStarted } from './run-record.js';
import type { Store } from './store.js';
import type { Lanes, Reclaimed, ReclaimScope, Survey } from './survey.js';

/**
 * A database that can hold jobs. Core decides, a driver spells: it holds no policy, no backoff, no attempt
 * arithmetic and no handler's name. `@rowlock/driver-conformance` tests what each verb must do on every database.
 *
 * @typeParam Tx What a handler writes through, and what a caller may pass to enqueue in its own transaction.
 */
export interface Driver<Tx = unknown> extends Store {
  /** The database's name, for logs: `postgres`, `mysql`. */
  readonly name: string;
  readonly capabilities: Capabilities;

  /** Brings the schema up to date. Safe to call twice, and from many processes at once. */
  migrate(): Promise<MigrationReport>;

  /** Says what the server allows. Rejects with `SchemaOutdated` unless the schema is the one this driver was built for. */
  verify(): Promise<Verified>;

  /** The verbs of a store inside a transaction that the caller has open, and ends. */
  join(tx: Tx): Store;

  /** A handle that passes its statements on to another one, which is resolved at its first use. */
  deferred(handle: () => Promise<Tx>): Tx;

  /** A slot's connection, taken from the pool with its first claim. */
  claimSession(options: ClaimSessionOptions): ClaimSession<Tx>;

  /**
   * What there is to wait for. Moves jobs whose time has come into the claim's way. Says when the next one's will come, and whether a due
   * job of these kinds is in the table now, locked or not.
   */
  survey(lanes: Lanes): Promise<Survey>;

  /**
   * Puts back to `new` the jobs of leases that are over, and of leases whose workers are in `dead`. Finds the leases of
   * workers that are not alive. Leaves alone a job that its run is just settling.
   */
  reclaim(scope: ReclaimScope): Promise<Reclaimed>;

  /**
   * Writes, outside the claims' transactions, that runs begin: of one job each, or one run of several jobs, whose record is one row
   * until it ends. The caller holds the jobs' locks, so an unfinished run of theirs has crashed. Where there is one, nothing
   * is written, and it is to be ended first.
   */
  startRuns(runs: readonly RunStart[]): Receipt<RunsStarted>;

  /**
   * Ends these runs of these jobs as `reclaim`. The caller has confirmed its claim after it found them: a worker that was frozen
   * meanwhile would end runs of the next claim.
   */
  endCrashed(runIds: readonly string[], jobs: readonly JobId[]): Promise<void>;

  /** Writes to the record of a run that is not over, from outside the claim's transaction. */
  noteRun(run: RunRef, note: RunNote): Promise<void>;

  /**
   * Registers a worker, and keeps a session open that proves it alive and receives wake-ups. Where sessions are shared, a heartbeat
   * does: see `BeatingAnchor`. Forgets workers that are gone since a day, and those that did not say that they stop a
   * month after their start. A forgotten worker that comes back keeps its id.
   */
  anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor>;

  /** The next jobs in the order of their ids, whatever their states. Core decides which are not kept. Reads without locks. */
  history(stretch: Stretch): Promise<readonly HistoryEntry[]>;

  /**
   * SKIP LOCKED. Deletes those of these jobs, up to 1,000, that have been settled for at least `settledMs` milliseconds, and the
   * records of their runs. Returns the number of jobs.
   */
  prune(jobs: readonly JobId[], settledMs: number): Promise<number>;

  /**
   * Whether it is this worker's turn to prune. The turn lasts `forMs` milliseconds from now, and no other worker has it. A worker that
   * has the turn gets it anew. Two may take it in the same moment, which does no harm.
   */
  takePruneTurn(workerId: string, forMs: number): Promise<boolean>;

  /** Ends every connection the driver opened. A pool that was passed in is left to its owner. */
  close(): Promise<void>;
}

/** What a database offers beyond the contract, as data. The conformance suite checks that it is honest. */
export interface Capabilities {
  /** How many connections the driver may have open at once, or null where it has no bound of its own. */
  readonly maxConnections: number | null;
  /** Whether the application takes connections out of the same pool. */
  readonly sharesPool: boolean;
}

/** What the server allows. */
export interface Verified {
  /** How many connections the server lets in, those of others among them; null where there is no such bound. */
  readonly serverConnections: number | null;
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly applied: readonly string[];
}
