import type { Job, JobError, JobId } from '../job/job.js';
import type { Json } from '../job/json.js';
import type { SettlingEvent, State } from '../job/lifecycle.js';
import type { RunRef } from './run-record.js';

/** What a run writes and settles through. */
export interface RunTransaction<Tx> {
  /** Aborted with a `ConnectionLost` when the claim is lost. */
  readonly lost: AbortSignal;

  /**
   * For the handler: its writes commit with the settlement, or not at all. The first use sets a savepoint, so that a failed
   * handler's writes can be undone without the loss of the claim.
   */
  readonly handle: Tx;

  /** Whether the handler has written through `handle`, or may have. */
  readonly used: boolean;

  /**
   * Writes how jobs ended, each once, only if its run has it and it is still as it was claimed. Returns the ids that were written:
   * a missing one means that the claim is lost. The runs' records end with it. The row of a completed job carries the run's id
   * instead of an outcome in the record.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly JobId[]>;

  /** Undoes what was written through `handle`, ends its use, and stops its long statements. The claim stays. */
  undo(): Promise<void>;

  /** Ends the transaction. Resolves when a server that stops then has it on its disk. */
  commit(): Promise<void>;

  /** Ends the transaction, and gives the claim back unless it is leased. Never rejects: a lost connection has ended it too. */
  rollback(): Promise<void>;
}

/**
 * A slot's connection: it claims, settles, and claims again. Each claim is a transaction, which the first verb begins. A transaction
 * that has ended gives the connection back, unless the next claim was made with it. Every verb rejects with `ConnectionLost`
 * once the server has ended the transaction, or has not answered for too long.
 */
export interface ClaimSession<Tx> extends RunTransaction<Tx> {
  /** SKIP LOCKED. Locks and returns the first due jobs beyond the line, up to `limit`, in the order of priority and id. */
  claim(criteria: ClaimCriteria): Promise<readonly Job[]>;

  /**
   * NOWAIT. Locks every job of the queue and these keys that is available or in progress, and returns the first `limit` of each
   * key: those in progress first, then by id. Rejects at once with `LockNotAvailable` when another transaction holds one of them.
   * Then only `rollback` is left.
   */
  lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]>;

  /** The lowest id below `before` of an outstanding job of these kinds and key, other than `except`. */
  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined>;

  /** Checks with the server that it still has this transaction open: news of a loss may be on its way. */
  confirm(): Promise<void>;

  /**
   * Gives the claim back, and ends the transaction. The jobs are as they were. The run's records end as `release`, whatever was
   * written into them meanwhile.
   */
  release(run: RunRef): Promise<void>;

  /**
   * Commits the claim: these of its jobs are in progress by this run, visible to everybody, and the others are let go. The lease ends
   * with the worker's session, and after `forMs` in any case.
   */
  lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void>;

  /**
   * Locks those of these jobs that this run had last, and says how they stand: `in-progress`, or how the run has settled them. Waits
   * for other locks. Leaves out what was put back from the run.
   *
   * @param isCommitted Whether the lease is known to be. If not, its commit is waited for as well.
   */
  lockLeased(runId: string, jobs: readonly JobId[], isCommitted: boolean): Promise<ReadonlyMap<JobId, State>>;

  /**
   * `settle` and `commit` in one. Commits only if all was written. Resolves when a server that stops then has it on its disk.
   *
   * When it rejects after a handler has used `handle`, the transaction is as `settle` leaves it, for `undo` and another settlement.
   * If the commit itself has failed it is over, and `undo` rejects with `TransactionOver`.
   *
   * @param next A claim to make right behind the commit, on the same connection. A database may leave it to a later `claim`.
   */
  finish(settlements: readonly Settlement[], next?: ClaimCriteria): Promise<Finished>;

  /**
   * Ends one run's use of `handle` and keeps its writes, where more runs share the transaction: the next run gets another handle,
   * with a savepoint of its own. Rejects when those writes cannot stay; then they are to be undone.
   */
  renew(): Promise<void>;
}

export interface ClaimSessionOptions {
  /** How long the server lets a transaction idle, and, where it can bound that, last, in milliseconds. */
  readonly idleLimitMs: number;
}

/** What came of `finish`. */
export interface Finished {
  /** The jobs that were settled. */
  readonly settled: readonly JobId[];
  /** The next claim, which may fail by itself; null where it is still to be made. */
  readonly next: Promise<readonly Job[]> | null;
}

/** The line in the sand: the last place that a sweep has looked at. Places are ordered by priority, then id. */
export interface Line {
  readonly priority: number;
  readonly id: JobId;
}

export interface ClaimCriteria {
  readonly queue: string;
  readonly kinds: readonly string[];
  readonly line: Line;
  /** Keys known to be busy: their jobs are passed over. */
  readonly busy: readonly string[];
  /** How many jobs at most. */
  readonly limit: number;
}

export interface Entities {
  readonly queue: string;
  readonly keys: readonly string[];
}

export interface DependencyQuestion {
  readonly key: string;
  readonly kinds: readonly string[];
  readonly before: JobId;
  readonly except: readonly JobId[];
}

/** The row change that follows from an outcome, as plain data. */
export interface Settlement {
  readonly id: JobId;
  /** The run that settles it. */
  readonly runId: string;
  readonly event: SettlingEvent;
  /** The attempts and, among them, the crashes that the row counts from now on. */
  readonly attempt: number;
  readonly crashes: number;
  /** Milliseconds until a job that goes back to `new` is available again. */
  readonly delayMs: number;
  /** How long the run took, in milliseconds: the row's start is that long before its end. */
  readonly tookMs: number;
  readonly output: Json;
  /** Not null where the event leads to `error`. */
  readonly error: JobError | null;
  /** The host that settles. */
  readonly by: string;
}
