import type { Enqueued, Job, JobError, JobId, JobView, NewJob } from '../job/job.js';
import type { Json } from '../job/json.js';
import type { ClientEvent, SettlingEvent, State } from '../job/lifecycle.js';

/**
 * A database that can hold jobs. Core decides, a driver spells: it holds no policy, no backoff, no attempt
 * arithmetic and no handler's name. What each verb must do on every database is what
 * `@rowlock/driver-conformance` tests.
 *
 * @typeParam Tx What a handler writes through, and what a caller may pass to enqueue in its own transaction.
 */
export interface Driver<Tx = unknown> extends Store {
  /** The database's name, for logs: `postgres`, `mysql`. */
  readonly name: string;
  readonly capabilities: Capabilities;

  /** Brings the schema up to date. Safe to call twice, and from many processes at once. */
  migrate(): Promise<MigrationReport>;

  /** Rejects with `SchemaOutdated` unless the schema is the one this driver was built for. Says what the server allows. */
  verify(): Promise<Verified>;

  /** The verbs of a store inside a transaction that the caller has open, and ends. */
  join(tx: Tx): Store;

  /** A handle whose statements go to another one, which is asked for when it is first used. */
  deferred(handle: () => Promise<Tx>): Tx;

  /**
   * Opens a transaction on a connection of its own, on the server with its first statement. The claim lives in it, and dies
   * with it unless it is leased.
   */
  begin(options: BeginOptions<Tx>): Promise<HeldTransaction<Tx>>;

  /**
   * What there is to wait for. Moves jobs whose time has come into the claim's way, and tells when the next
   * one's will come and whether a due job of these kinds is in the table now, locked by somebody or not.
   */
  survey(lanes: Lanes): Promise<Survey>;

  /**
   * Looks for leases of workers that are not alive, and puts the jobs of those among them that are `dead`
   * back to `new`, and those of leases that are over. A job that its run is just settling is left alone.
   */
  reclaim(graves: Graves): Promise<Reclaimed>;

  /**
   * Writes, outside the claims' transactions, that runs begin, and ends as `reclaim` every unfinished run of their jobs: whoever
   * calls this holds their locks, so whoever wrote those is gone. That it does is confirmed when they have been found, and no others are
   * ended: a worker that was frozen meanwhile has lost its claim, and what it finds are the runs of its heirs. Then this rejects as `confirm`
   * does, and nothing is ended. Returns what is known of those jobs that had runs before.
   * A run of several jobs may be one record for all of them until it ends. Resolves when a server that stops then has them on its disk.
   *
   * @param told Of what happens on the way.
   */
  startRuns(runs: readonly RunStart[], told?: RunsTold): Promise<readonly RunStarted[]>;

  /** Writes to the record of a run that is not over, from outside the claim's transaction. */
  noteRun(run: RunRef, note: RunNote): Promise<void>;

  /**
   * Makes a worker known and keeps a session open that proves it alive and hears wake-ups; where sessions mean nothing, a
   * heartbeat: see `BeatingAnchor`. A worker is alive to all others as long as its own kind of proof holds. Forgets workers that are
   * gone since a day; those that did not say that they stop, a month after their start. One that comes back after that is known again, under
   * the same id.
   */
  anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor>;

  /** The next jobs in the order of their ids, whatever their states, for core to decide which are not kept. Reads without locking. */
  history(stretch: Stretch): Promise<readonly HistoryEntry[]>;

  /**
   * SKIP LOCKED. Deletes those of these jobs, up to 1,000, that have been settled for at least `settledMs` milliseconds, and the records of
   * their runs. Returns how many jobs that were.
   */
  prune(jobs: readonly JobId[], settledMs: number): Promise<number>;

  /**
   * Whether it is this worker's turn to prune, which it then has for `forMs` from now: no other one has it. Asked again, the worker
   * that has the turn gets it anew. That two take it in the same moment may happen, and does no harm.
   */
  takePruneTurn(workerId: string, forMs: number): Promise<boolean>;

  /** Ends every connection the driver opened. A pool that was passed in is left to its owner. */
  close(): Promise<void>;
}

/** What may be told of runs' records before they are on the disk: each once at most, in this order. */
export interface RunsTold {
  /**
   * The server has been sent all that it takes, and has done it but for the commit: everybody will see them, whatever becomes of this
   * process. With what `startRuns` returns.
   */
  written(earlier: readonly RunStarted[]): void;
  /** Everybody sees them, though a server that stops in this moment may forget them. */
  seen(): void;
  /**
   * Resolves when they have to come to the disk, or, with false, when they need not any more: a driver that has told of them as seen may wait
   * for it. Default: at once.
   */
  readonly due?: Promise<boolean>;
}

/** What a database offers beyond the contract, as data. The conformance suite checks that it is honest. */
export interface Capabilities {
  /** How many connections the driver may have open at once, or null where it has no bound of its own. */
  readonly maxConnections: number | null;
  /** Whether the application takes connections out of the same pool. */
  readonly sharesPool: boolean;
  /** Whether a transaction can begin `after` another without waiting for that one's end. */
  readonly chains: boolean;
}

/** What the server allows. */
export interface Verified {
  /** How many connections the server lets in, those of others among them; null where there is no such bound. */
  readonly serverConnections: number | null;
}

/** Verbs that stand alone: on the driver's own pool each commits by itself, joined they are part of the caller's transaction. */
export interface Store {
  /**
   * Inserts jobs, in order: names of up to 128 and keys of up to 512 characters, compared to the byte. A job whose unique key is taken is not inserted: its outcome is `duplicate`, with
   * the public id of the one that is there. Never waits for a running handler. If any is inserted, wakes workers as `notify` does,
   * in the same flight where the database can. On the pool, what a deadlock has ended is done again.
   */
  enqueue(jobs: readonly NewJob[], wakeUps?: readonly WakeUp[]): Promise<readonly Enqueued[]>;

  /** Reads without locking, newest first. */
  list(filter: JobFilter, page: Page): Promise<JobPage>;

  /** Counts without locking, by state. */
  count(filter: JobFilter): Promise<Readonly<Record<State, number>>>;

  /**
   * Lets a client's event happen to a job, unless somebody holds it, and says what it met.
   *
   * A redrive gives back all attempts, also those that crashes have used up which no settlement has counted.
   *
   * @param redrives Only the job that was redriven so often is meant: for one that was redriven since, whether somebody holds it or
   * not, the event is illegal.
   */
  move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved>;

  /** Wakes workers: at once on the pool; when, and only if, the transaction commits where joined. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;

  /** The workers that are alive, and those that stopped within the last hour. */
  workers(): Promise<readonly WorkerView[]>;
}

/**
 * The worker's transaction. Every verb rejects with `ConnectionLost` once the server has let go of it, or has not answered for
 * too long.
 */
export interface HeldTransaction<Tx> extends RunTransaction<Tx> {
  /** SKIP LOCKED. Locks and returns the first due jobs beyond the line, up to `limit`, in the order of priority and id. */
  claim(criteria: ClaimCriteria): Promise<readonly Job[]>;

  /**
   * NOWAIT. Locks every job of the queue and these keys that is available or in progress, and returns the first
   * `limit` of each key: those in progress first, then by id. Rejects at once with `LockNotAvailable` when
   * another transaction holds one of them; then nothing but `rollback` is left to do.
   */
  lockSiblings(entities: Entities, limit: number): Promise<readonly Job[]>;

  /** The lowest id below `before` of an outstanding job of these kinds and key, other than `except`. */
  firstOutstanding(question: DependencyQuestion): Promise<JobId | undefined>;

  /** Asks the server whether it still has this transaction open: a loss may not have been told of yet. */
  confirm(): Promise<void>;

  /**
   * Gives the claim back: its jobs are as they were, and the run's records end as `release`, whatever was written into them
   * meanwhile. The transaction has ended then.
   */
  release(run: RunRef): Promise<void>;

  /**
   * Commits the claim: these of its jobs are in progress, by this run, for everybody to see; the others are let go.
   * The transaction has ended then. The lease ends with the worker's session, and after `forMs` in any case.
   */
  lease(runId: string, jobs: readonly JobId[], forMs: number): Promise<void>;

  /**
   * Locks those of these jobs that this run had last, waiting for whoever looks at them, and says how they stand:
   * `in-progress`, or how the run itself has settled them. What was put back from it is not among them.
   *
   * @param isCommitted Whether the lease is known to be. Where it is not, it is waited for as well: it may be committed still.
   */
  lockLeased(runId: string, jobs: readonly JobId[], isCommitted: boolean): Promise<ReadonlyMap<JobId, State>>;

  /**
   * `settle` and `commit` on one way to the server: nothing is committed unless all was written, and the transaction has
   * ended then. Where a handler has written through `handle` and it rejects, the transaction is left as `settle` leaves it: to be undone, and
   * settled otherwise; but where the commit itself has failed it is over, as `undo` says by `TransactionOver`. Resolves when a server that stops then has it on its disk.
   *
   * @param committed Is called when all was committed, or nothing of it will be: everybody sees it, though a server that stops in this moment may
   * forget it. Where a driver does not call it, that is when this resolves.
   */
  finish(settlements: readonly Settlement[], committed?: () => void): Promise<readonly JobId[]>;

  /**
   * Ends one run's use of `handle` and keeps what it wrote, when more runs share the transaction: the next one is given
   * another handle, with a savepoint of its own. Rejects when that run's writes cannot stay; then they are to be undone.
   */
  renew(): Promise<void>;
}

/** What a run writes and settles through. */
export interface RunTransaction<Tx> {
  /** Aborted, with a `ConnectionLost`, when the claim is lost. */
  readonly lost: AbortSignal;

  /**
   * For the handler: what it writes through this commits with the settlement, or not at all. The first use
   * sets a savepoint, so that a failed handler's writes can be undone without losing the claim.
   */
  readonly handle: Tx;

  /** Whether the handler has written through `handle`, or may have. */
  readonly used: boolean;

  /**
   * Writes how jobs ended, each once, only if its run has it and it is still as it was claimed. Returns the ids that it
   * wrote; a missing one means that the claim is lost. The runs' records end with it: of a run that completed a job, the
   * job's row says so, which has the run's id; what else came of a run is written into its record.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly JobId[]>;

  /**
   * Undoes what was written through `handle`, and ends its use; statements of it that go on for long are stopped. The claim
   * stays.
   */
  undo(): Promise<void>;

  commit(): Promise<void>;

  /**
   * Ends the transaction; the claim is given back with it, unless it is leased. Never rejects: a connection that is
   * gone has ended it by itself.
   */
  rollback(): Promise<void>;
}

/** Whose leases may have to be ended. */
export interface Graves {
  readonly queues: readonly string[];
  /** The ids of workers that have not been alive for long enough. */
  readonly dead: readonly string[];
}

export interface Reclaimed {
  /** How many jobs were put back. */
  readonly reclaimed: number;
  /** The ids of the workers that have leases in these queues and are not alive. */
  readonly lapsed: readonly string[];
}

export interface BeginOptions<Tx = unknown> {
  /** How long the server lets the transaction idle, and, where it can tell, last, before it ends it, in milliseconds. */
  readonly idleLimitMs: number;
  /** A transaction of this driver whose `finish` is on its way: the new one takes over its connection, right behind it. */
  readonly after?: HeldTransaction<Tx>;
}

/** The queues and kinds that a worker serves. */
export interface Lanes {
  readonly queues: readonly string[];
  readonly kinds: readonly string[];
}

export interface Survey {
  /** How many delayed jobs became due. */
  readonly promoted: number;
  /** Milliseconds until the next delayed job of these queues becomes due; null if there is none. */
  readonly nextDueMs: number | null;
  /** Whether a due job of these queues and kinds is in the table, locked or not. Those just promoted need not count. */
  readonly waiting: boolean;
  /** Whether a job of these queues is in progress by a lease, whosever it is. */
  readonly leased: boolean;
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

/** A run, or the runs that share a transaction, and the jobs; each job has a record of it. */
export interface RunRef {
  readonly runId: string;
  readonly jobs: readonly JobId[];
}

export interface RunStart extends RunRef {
  readonly workerId: string;
  /** Rejects unless the server says that the claim stands still: see `HeldTransaction`. Default: whoever asks knows that it does. */
  readonly confirm?: () => Promise<void>;
}

export interface RunStarted {
  readonly id: JobId;
  /** Runs of this job before this one, ever. */
  readonly earlierRuns: number;
  /** Those among them that ended in a crash. */
  readonly crashes: number;
}

/** What may be written of a run while its transaction is open. */
export interface RunNote {
  readonly progress: Json;
}

export interface JobFilter {
  /** In small letters, as rows have it. */
  readonly publicId?: string;
  readonly queue?: string;
  readonly kind?: string;
  readonly key?: string;
  /**
   * As a `JobView` has it: a job whose newest run has not ended, and is of a live worker, is `in-progress`, whatever its row says. To
   * find these must not take longer the more jobs wait.
   */
  readonly status?: State;
}

export interface Page {
  /** 1 to 1,000. */
  readonly limit: number;
  /** Where the page before this one ended. */
  readonly before: JobId | null;
}

export interface JobPage {
  readonly jobs: readonly JobView[];
  /** Where to go on, or null at the end. */
  readonly next: JobId | null;
}

/** What `move` met: it was done, somebody holds the job, it is in a state that the event does not start from, or it is not there. */
export type Moved =
  | { readonly outcome: 'moved' }
  | {
      readonly outcome: 'running';
      /** How often the job was redriven. */
      readonly redrives: number;
    }
  | { readonly outcome: 'illegal'; readonly status: State }
  | { readonly outcome: 'missing' };

/** A part of the history. */
export interface Stretch {
  /** Where it begins, this id not included; null: at the oldest job, or at the newest. */
  readonly beyond: JobId | null;
  readonly newestFirst: boolean;
  /** How many jobs, 1 to 1,000. */
  readonly limit: number;
}

/** What decides how long a job is kept. Milliseconds are whole and by the database's clock. */
export interface HistoryEntry {
  readonly id: JobId;
  readonly queue: string;
  readonly status: State;
  /** How long ago it was enqueued, in milliseconds. */
  readonly createdMs: number;
  /** How long ago it was settled, in milliseconds; null while it is outstanding. */
  readonly settledMs: number | null;
}

/** A hint that looking for work is worthwhile, or that a job that somebody holds is to be cancelled. It may be late, doubled, lost or false. */
export interface WakeUp {
  /** The queue that has new work; absent means any. */
  readonly queue?: string;
  /** The public id of a job that is to be cancelled, though somebody holds it. */
  readonly cancel?: string;
  /** How often that job was redriven: a wake-up may be late, and one that was redriven since is not meant. */
  readonly redrives?: number;
  /** The ids of workers that know of it already, and need not be woken. */
  readonly told?: readonly string[];
}

export interface WorkerInfo {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** The queues that it serves. */
  readonly queues: readonly string[];
}

export interface WorkerView extends WorkerInfo {
  readonly id: string;
  readonly alive: boolean;
  readonly startedAt: Date;
  readonly lines: WorkerLines;
}

/** Per queue, the public id of the job that a worker's newest sweep has come to; null when it is at rest. */
export type WorkerLines = Readonly<Record<string, string | null>>;

/** Is told of the fate of the session, or of the heartbeat, so that leases are not kept without it. */
export interface SessionListener {
  /** The session has ended, `agoMs` milliseconds ago (default 0), and is being opened again. */
  lost(agoMs?: number): void;
  /** It is open again, under the same id. */
  back(): void;
}

/** A worker's session with the server, or what stands in for one. */
export interface Anchor {
  /** The worker's id, for its runs' records. */
  readonly workerId: string;

  /** By what others know that the worker is alive: the lock of its session, or a time that it renews in its row. */
  readonly proof: 'session' | 'heartbeat';

  /** Whether wake-ups are pushed to this session; if not, it looks for them now and then. */
  readonly pushed: boolean;

  /**
   * Yields whenever looking for work is worthwhile: once subscribed, at each notification, after each
   * reconnection, and at the latest after `everyMs`. Ends when `signal` aborts.
   */
  wakeUps(options: WakeUpOptions): AsyncIterable<WakeUp>;

  /** Shows others how far the worker's sweeps have come. */
  report(lines: WorkerLines): Promise<void>;

  /** Ends the session. */
  release(): Promise<void>;
}

export interface WakeUpOptions {
  readonly queues: readonly string[];
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly applied: readonly string[];
}
