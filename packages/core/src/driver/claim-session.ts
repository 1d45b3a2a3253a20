import type { Job, JobError, JobId } from '../job/job.js';
import type { Json } from '../job/json.js';
import type { SettlingEvent, State } from '../job/lifecycle.js';
import type { RunRef } from './run-record.js';

/** The transaction that a run writes and settles in. */
export interface RunTransaction<Tx> {
  /** Aborted with a `ConnectionLost` when the claim is lost. */
  readonly lost: AbortSignal;

  /**
   * For the handler, whose writes commit with the settlement, or not at all. The first use sets a savepoint, so that
   * `undo` keeps the claim.
   */
  readonly handle: Tx;

  /** Whether the handler has written through `handle`, or may have. */
  readonly used: boolean;

  /**
   * Writes how jobs ended, and ends their runs' records. Each job is written once, only if its run still has it,
   * unchanged since the claim. A completed job's record gets no outcome: its row carries the run's id instead. If the
   * database refuses an output or an error, the claim stands, and another settlement may follow.
   *
   * @returns the ids that were written. If one is missing, the claim is lost.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly JobId[]>;

  /** Undoes what was written through `handle`, ends its use, and stops its long statements. The claim stays. */
  undo(): Promise<void>;

  /** Commits the transaction. Resolves when the commit is durable. */
  commit(): Promise<void>;

  /**
   * Ends the transaction, and gives the claim back unless it is leased. Never rejects: a lost connection also ends the
   * transaction.
   */
  rollback(): Promise<void>;
}

/**
 * A slot's connection: it claims, settles, and claims again. Each claim is a transaction, which begins at the first
 * verb. The end of a transaction gives the connection back, unless the next claim was made with it. Every verb rejects
 * with `ConnectionLost` once the server has ended the transaction, or has not answered for too long.
 */
export interface ClaimSession<Tx> extends RunTransaction<Tx> {
  /**
   * SKIP LOCKED. Locks and returns the first due jobs beyond the line, up to `limit`, in the order of priority and id.
   * The statement itself reads the pauses, and returns no paused job: see `Store.pause`.
   *
   * With `limits`, also takes a slot of each of these limits, until the transaction ends. It takes one of a limit if
   * fewer slots than the limit's size are taken, whatever size their takers had. The size is the `max` that `admission.set` has
   * set, else what the job says. If there is no slot, rejects with `LimitReached`. After that, only `rollback` is allowed.
   * Such a claim is the first verb of its transaction.
   */
  claim(criteria: ClaimCriteria): Promise<readonly Job[]>;

  /**
   * NOWAIT. Locks every job of the queue and these keys that is available or in progress. Returns the first `limit` of
   * each key: those in progress first, then by id, up to the first one whose kind or queue is paused. The statement that
   * locks them also reads the pauses. Rejects at once with `LockNotAvailable` when another transaction
   * holds one of these jobs. After that, only `rollback` is allowed.
   */
  lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]>;

  /** The lowest id below `before` of an outstanding job of these kinds and key, other than `except`. */
  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined>;

  /**
   * Checks with the server that this transaction is still open. Resolves if it is: the driver may not have noticed a
   * loss yet.
   */
  confirm(): Promise<void>;

  /**
   * Gives the claim back, and ends the transaction. The jobs are unchanged. The run's records end as `release`,
   * although they may have changed meanwhile.
   */
  release(run: RunRef): Promise<void>;

  /**
   * Commits the claim of these jobs. They are now in progress by this run, visible to all. The claim's other jobs are
   * let go. The lease ends with the worker's session, and after `forMs` in any case. So do the slots of the claim's
   * limits, which are this run's from now on.
   */
  lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void>;

  /**
   * Takes a slot of each of these limits without a job, as `claim` does with `limits`. Rejects with `LimitReached` if
   * there is none. The transaction holds the slots until it ends.
   */
  enterLimits(limits: string): Promise<void>;

  /** Gives back the slots that this run has by its lease, when the transaction commits. */
  leaveLimits(runId: string): Promise<void>;

  /**
   * Locks those of these jobs that this run had last. Returns the state of each: `in-progress`, or how the run has
   * settled it. Waits for other locks. Leaves out jobs that were taken from the run and put back.
   *
   * @param isCommitted Whether the lease is known to be committed. If not, waits for its commit as well.
   */
  lockLeased(runId: string, jobs: readonly JobId[], isCommitted: boolean): Promise<ReadonlyMap<JobId, State>>;

  /**
   * `settle` and `commit` in one, which commits only if all was written. Resolves when the commit is durable.
   *
   * If it rejects after a handler has used `handle`, the transaction is as after `settle`. `undo` and another
   * settlement may follow. If the commit itself has failed, the transaction is over, and `undo` rejects with
   * `TransactionOver`. If the database refuses an output or an error, the claim stands as well.
   *
   * @param next A claim to make right behind the commit, on the same connection. A driver may leave it to a later
   * `claim`.
   */
  finish(settlements: readonly Settlement[], next?: ClaimCriteria): Promise<Finished>;

  /**
   * Ends one run's use of `handle` and keeps its writes, where more runs share the transaction. The next run gets
   * another handle, with a savepoint of its own. Rejects if the writes cannot stay: then call `undo`.
   */
  renew(): Promise<void>;
}

export interface ClaimSessionOptions {
  /**
   * How long the server lets a transaction be idle, in milliseconds. If the server can limit a transaction's
   * duration, also how long it may last.
   */
  readonly idleLimitMs: number;
}

/** The result of `finish`. */
export interface Finished {
  /** The jobs that were settled. */
  readonly settled: readonly JobId[];
  /** The next claim, which may fail by itself. Null if it is still to be made. */
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
  /** The text of the limits of the jobs to claim: see `limitsText`. Default: jobs without limits. */
  readonly limits?: string;
  readonly line: Line;
  /** Keys known to be busy: their jobs are skipped. */
  readonly busy: readonly string[];
  /** The most jobs to claim. 1 with `limits`. */
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
  /** The attempts that the row counts from now on, and the crashes among them. */
  readonly attempt: number;
  readonly crashes: number;
  /** Milliseconds until a job that goes back to `new` is available again. */
  readonly delayMs: number;
  /** How long the run took, in milliseconds. The row's start is set this long before its end. */
  readonly tookMs: number;
  readonly output: Json;
  /** Not null where the event leads to `error`. */
  readonly error: JobError | null;
  /** The host that settles. */
  readonly by: string;
}
