import type { Driver, DriverErrorCode, JobError, Json } from '@rowlock/core';
import type { AuditedAction, JobId } from '@rowlock/core/driver';

/**
 * What a driver's own test gives to the suite: the way to fresh databases, and everything that must not go
 * through the driver under test.
 *
 * @typeParam Tx What the driver joins: a caller's transaction.
 */
export interface DriverHarness<Tx> {
  /** Makes a fresh and empty database, or schema. The suite migrates it, through the driver. */
  database(): Promise<TestDatabase<Tx>>;

  /** Ends everything that the harness opened. */
  close(): Promise<void>;
}

/** One database. Nothing of it is seen by the others. */
export interface TestDatabase<Tx> {
  /** Where it is, for a process of its own. */
  readonly url: string;

  /** Opens one more driver that shares nothing with the others, as another process would. Takes 12 or more transactions at once. */
  process(options?: ProcessOptions): Promise<DriverProcess<Tx>>;

  /** Reads and writes the tables with the database's plain client, never with the driver. */
  readonly reader: Reader;

  /** Opens a transaction of the plain client, as an application does that has no part in the driver. */
  caller(): Promise<Caller<Tx>>;

  /** Runs one statement through a transaction that a driver gave out or joins, and returns its rows. */
  run(tx: Tx, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;

  /** For each code: work that must reject with it, or the reason why this database never comes to it. */
  readonly samples: Samples;

  /** What may happen to the tables by another hand, or the reason why it cannot happen to this database. */
  readonly mishaps: Mishaps;

  /**
   * What should not be there between two tests: each open transaction, and each connection of a process that
   * has ended. Described so that a reader of the failure finds it.
   */
  leaks(): Promise<readonly string[]>;

  /**
   * Each transaction that is open and waits for its client; not one that ends with the statement that is running. To be
   * asked while a test goes on.
   */
  openTransactions(): Promise<readonly string[]>;

  /** Each session that waits for a row lock or a transaction of another one now, by the server's own word. */
  waits(): Promise<readonly Wait[]>;

  /** Ends what was opened on this database, and drops it. */
  close(): Promise<void>;
}

export interface ProcessOptions {
  /** Whose the driver is to take the server's sessions for, as its option of that name. Default: the driver's own, or the harness's. */
  readonly sessions?: 'own' | 'shared';
  /** How long its server may take to answer, in milliseconds, where a driver can be told. Default: as the driver has it. */
  readonly answerMs?: number;
  /** Whether the process reaches its server by a cable that the test takes away: `forget` and `swallow` need it. Default false. */
  readonly cable?: boolean;
  /** How many connections the server lets the process have. Default: as many as it opens. Nothing where there are no connections. */
  readonly mostConnections?: number;
}

/** A session that waits for a lock. Sessions are named by their process, and `plain` are those of callers and the reader. */
export interface Wait {
  readonly waiting: string;
  readonly holder: string;
}

/** A driver, and what can happen to the process that it lives in. */
export interface DriverProcess<Tx> {
  /** The name of its sessions. No other process of the database has it. */
  readonly name: string;

  readonly driver: Driver<Tx>;

  /** The server's names for the sessions that it has now: another session has another name. */
  sessions(): Promise<readonly string[]>;

  /** The server ends every connection of this process (`pg_terminate_backend`, `KILL`). New ones are let in. */
  disconnect(): Promise<void>;

  /**
   * The connections that it has pass nothing on any more, and neither end is told: what a firewall does that has forgotten
   * them. New ones are let in. Where there are no connections, the nearest thing is `disconnect`.
   */
  forget(): Promise<void>;

  /** The process is gone: its connections are cut, and it opens no more. Safe to call twice, and after `close`. */
  kill(): Promise<void>;

  /**
   * From now on nothing passes between this process and the server, either way, and no connection ends: what a cable that was
   * pulled out looks like. Where there are no connections, the nearest thing is `kill`.
   */
  swallow(): Promise<void>;

  /** Ends in good order: closes the driver, then what was opened for it. Safe to call twice, and after `kill`. */
  close(): Promise<void>;
}

/** What the tables really hold. */
export interface Reader {
  /** The row, or undefined. */
  job(publicId: string): Promise<JobRow | undefined>;

  /** All rows of a queue, by id. */
  jobs(queue: string): Promise<readonly JobRow[]>;

  /** The records of a job's runs, oldest first, also of the one that completed it if only the job's row tells of that. */
  runs(publicId: string): Promise<readonly RunRow[]>;

  /** How many records of runs there are whose job is not. */
  orphans(): Promise<number>;

  /** How many slots a limit has, taken or not. */
  slots(name: string): Promise<number>;

  /** What is on record of an operator, oldest first. */
  audit(by: string): Promise<readonly AuditRow[]>;

  /** The starts of a rate, or undefined. */
  rate(name: string): Promise<RateRow | undefined>;

  /** Moves the time of a rate. To the rate, the database's clock has moved the other way. */
  moveRate(name: string, byMs: number): Promise<void>;

  /** Locks the row of a rate in a transaction of its own, which the returned function ends. */
  lockRate(name: string): Promise<() => Promise<void>>;

  /** The database's clock. */
  now(): Promise<Date>;

  /** A row as a system writes it that knows only the table: an INSERT of these columns alone. Returns the public id. */
  insert(row: RawJob): Promise<string>;

  /** A hand-written UPDATE of one row, legal or not. Rejects with the database's own error. */
  write(publicId: string, change: JobChange): Promise<void>;

  /** A hand-written UPDATE of the next time of a schedule. */
  moveSchedule(name: string, nextAt: Date): Promise<void>;

  /** Runs one statement in plain SQL that every database understands, and returns its rows. */
  exec(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** What an operator has done, as its row has it. */
export type AuditRow = AuditedAction;

/** A job as its row has it. */
export interface JobRow {
  readonly id: JobId;
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: Json;
  readonly priority: number;
  readonly status: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly redrives: number;
  readonly uniqueKey: string | null;
  readonly metadata: Json;
  /** The text of its limits. */
  readonly limits: string;
  readonly output: Json;
  readonly error: JobError | null;
  readonly runId: string | null;
  readonly availableAt: Date;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly startedAt: Date | null;
  readonly startedBy: string | null;
  readonly finishedAt: Date | null;
  readonly finishedBy: string | null;
}

/** Columns of a hand-written UPDATE; also values that the table must refuse. */
export type JobChange = { readonly [Column in keyof JobRow]?: JobRow[Column] | null };

export type RawJob = Pick<JobRow, 'queue' | 'kind' | 'payload'> & Partial<Pick<JobRow, 'key'>>;

/** The starts of a rate, as its row has them. */
export interface RateRow {
  /** When the next start would be, if all were evenly spaced: milliseconds, with a fraction. */
  readonly nextMs: number;
  /** The take of the last start, until it is given back. */
  readonly lastTake: string | null;
}

/** The record of one run, as far as it concerns one job. */
export interface RunRow {
  readonly runId: string;
  /** Null where the job's row alone tells of the run: as of one of several jobs that completed this one. */
  readonly workerId: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** How it ended for the job: a settling event, `release`, `reclaim` or `crashed`; null while it goes on. */
  readonly outcome: string | null;
  readonly progress: Json;
}

/** An application's own transaction. */
export interface Caller<Tx> {
  readonly tx: Tx;
  commit(): Promise<void>;
  /** Also after the end, when it does nothing. */
  rollback(): Promise<void>;
}

/** `ConnectionLost`, `TransactionOver`, `SchemaOutdated` and `InvalidInput` are provoked by the suite itself; `SchemaDiffers`, `CommitUnknown` and `EngineUnsuitable` are a matter of each driver's own tests. */
export type Samples = Readonly<Record<SampledCode, (() => Promise<unknown>) | Impossible>>;

export interface Mishaps {
  readonly truncate: Truncate | Impossible;
  readonly refuse: Refuse | Impossible;
  readonly refuseRows: RefuseRows | Impossible;
  /** The server's codes of some errors that may pass, and that leave a connection intact. */
  readonly passing: readonly string[];
}

/** From now on the table of jobs refuses a row whose output or error has this text. */
export type Refuse = (text: string) => Promise<void>;

/**
 * A trigger of the application's: from now on it refuses these statements on a job whose payload has this text. Null: no more.
 *
 * @param code The server's code of its error. Default: one of an application's own.
 */
export type RefuseRows = (
  verb: 'INSERT' | 'UPDATE' | 'DELETE',
  text: string | null,
  code?: string,
) => Promise<void>;

/** Somebody empties a table, and its ids begin anew. */
export type Truncate = (table: 'job' | 'run' | 'worker') => Promise<void>;

/** A code that this database has no error for, or what cannot happen to it. */
export interface Impossible {
  readonly because: string;
}

export type SampledCode = Exclude<
  DriverErrorCode,
  | 'ConnectionLost'
  | 'LimitReached'
  | 'TransactionOver'
  | 'SchemaOutdated'
  | 'SchemaDiffers'
  | 'InvalidInput'
  | 'CommitUnknown'
  | 'EngineUnsuitable'
>;
