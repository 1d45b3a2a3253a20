import type { Refused } from './apart.js';
import type { ColumnCondition } from './row-condition.js';

/**
 * The captures of a database: triggers that write jobs. Each verb commits by itself. The database is compared with the
 * triggers that a capture needs now, so that a changed table shows too.
 */
export interface CaptureStore<Tx = unknown> {
  /**
   * The statements that `apply` would run on an empty database, as one script for a DBA. Reads the tables.
   *
   * @throws InvalidInputError when a table is not there, or cannot be captured.
   */
  sql(captures: readonly CapturePlan[]): Promise<string>;

  /**
   * Makes the triggers of a capture as it needs them. Takes no lock on a table whose triggers are right. Safe from many
   * processes at once.
   *
   * @param lockMs How long to wait for the lock of the table, in milliseconds. Then rejects with `LockTimeout`.
   * @throws InvalidInputError when the table is not there, or cannot be captured: its writers would fail, say. `check`
   * tells the same as a problem `table`. See `tryCapture`.
   */
  apply(capture: CapturePlan, lockMs: number): Promise<AppliedCapture>;

  /** Compares the triggers, and reads which losses were noted. Writes nothing. */
  check(capture: CapturePlan): Promise<CheckedCapture>;

  /**
   * What `check` of each capture depends on, as a text, by one statement. While a text stays the same, so does what `check` finds,
   * but for what this account does not see here, as some rights.
   */
  states(captures: readonly CapturePlan[]): Promise<readonly string[]>;

  /** Drops the triggers of a capture by its name, also of one that no program defines any more. Returns whether there were any. */
  drop(name: string, lockMs: number): Promise<boolean>;

  /**
   * Enqueues jobs for the next rows in the order of `id`, and keeps the place, in one transaction. Locks no row of the
   * table. A row whose job is refused is left out, and noted as a loss. See `fillRows`.
   */
  backfill(capture: CapturePlan, step: BackfillOptions): Promise<BackfillStep>;

  /**
   * From now on, what is written through `tx` is not captured as jobs of this kind. Null: is captured again. Ends with the transaction.
   */
  mute(tx: Tx, kind: string | null): Promise<unknown>;
}

/** A capture as plain data, checked. Names are not quoted. */
export interface CapturePlan {
  readonly name: string;
  /** The parts of the table's name. */
  readonly table: readonly string[];
  /** The columns that identify a row. */
  readonly id: readonly string[];
  /** The columns of the job's key. Empty: jobs without a key. */
  readonly key: readonly string[];
  readonly insert: boolean;
  /** The columns whose change counts. True: every row that an UPDATE comes to. */
  readonly update: boolean | readonly string[];
  readonly delete: boolean;
  /** The columns whose old and new values are in the payload. */
  readonly columns: readonly string[];
  /** A row counts if it meets all of these before the change, or after it. */
  readonly conditions: readonly ColumnCondition[];
  /** A statement that changes more rows becomes one job. Null: never. */
  readonly bulkOver: number | null;
  readonly notify: CaptureNotify;
  readonly onError: 'fail' | 'note';
  /** Whether the runs of the capture's own kind are captured too. */
  readonly ownWrites: boolean;
  readonly job: CapturedJobOptions;
}

export type CaptureNotify = 'throttled' | 'always' | 'never';

/** The columns of a captured job that are the same for each. */
export interface CapturedJobOptions {
  readonly queue: string;
  readonly kind: string;
  readonly priority: number;
  readonly maxAttempts: number;
  /** The text of its limits. */
  readonly limits: string;
}

export interface AppliedCapture {
  /** Whether anything was made or changed. */
  readonly changed: boolean;
  /** What of the table is not captured, a sentence each. */
  readonly warnings: readonly string[];
}

export interface CheckedCapture {
  readonly problems: readonly CaptureProblem[];
  /** What of the table is not captured, a sentence each. */
  readonly warnings: readonly string[];
}

/** What `check` found of one capture. It is all right if there are no problems. */
export interface CaptureCheck extends CheckedCapture {
  readonly name: string;
}

/** What is wrong with a capture. */
export interface CaptureProblem {
  /**
   * `missing`: a trigger or its function is not there. `disabled`: a trigger does not fire. `changed`: one is not as the
   * capture needs it. `table`: the table is not there, or cannot be captured as it is, as its writers would fail. `lost`:
   * changes were not captured, by `onError: 'note'`. `unwelcome`: there is a trigger that the capture does not need.
   */
  readonly code: 'missing' | 'disabled' | 'changed' | 'unwelcome' | 'table' | 'lost';
  readonly message: string;
}

export interface BackfillOptions {
  /** The most rows to read. */
  readonly batch: number;
  readonly priority: number;
  /** Whether this is the first step of a call. It begins anew if the last backfill has ended. */
  readonly first: boolean;
}

export interface BackfillStep {
  /** How many rows were read since the backfill began. */
  readonly rows: number;
  readonly done: boolean;
  /** The rows of this step without a job, by their id. */
  readonly refused: readonly Refused<RowId>[];
}

/** The columns of `id`, as text. */
export type RowId = Readonly<Record<string, string>>;
