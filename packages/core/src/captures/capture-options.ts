import type { Limit } from '../admission/limit.js';
import type { CaptureNotify } from '../driver/capture-store.js';
import type { RowCondition, TableName } from '../driver/row-condition.js';

/** The input of `defineCapture`. */
export interface CaptureOptions<Name extends string, Id extends string, Column extends string> {
  /** Names the triggers, 1 to 128 characters. */
  readonly name: Name;
  /** The table whose changes are captured: `orders`, or `shop.orders` with its schema. A list, `['shop', 'orders']`, may have dots in the names. */
  readonly table: TableName;
  /** The columns that identify a row: those of its primary key, or of another unique key without nulls. */
  readonly id: readonly [Id, ...Id[]];
  /** Which changes are captured. Default: all. */
  readonly on?: CaptureEvents;
  /**
   * The columns whose values are the job's key, joined by commas. A row with a null in one of them has no key. An update
   * that changes the key is two jobs, one of each key. Null: jobs without a key. Default: those of `id`.
   */
  readonly key?: string | readonly string[] | null;
  /** The kind of the jobs. Several captures may have the same one. */
  readonly kind: string;
  /** The queue of the jobs. Default `default`. */
  readonly queue?: string;
  /** The priority of the jobs, -32768 to 32767. Default 0. */
  readonly priority?: number;
  /** The attempts of each job, 1 to 1,000. Default 5. */
  readonly attempts?: number;
  /** The limits of the jobs. Triggers call no function. Default: none. */
  readonly limit?: Limit | readonly Limit[];
  /** The columns whose old and new values are in the payload. Default: none. */
  readonly payload?: readonly Column[];
  /** Only rows in which each column has this value, or one of these, before the change or after it. Default: all rows. */
  readonly when?: RowCondition;
  /**
   * A statement that changes more than `over` rows, 1 to 1,000,000, becomes jobs that say so. `false`: each row becomes a job.
   * Default `{ over: 1000 }`.
   */
  readonly bulk?: { readonly over: number } | false;
  /**
   * Whether the trigger wakes workers. `throttled`: one open transaction at a time does. `always`: each does, which
   * slows writers that commit at the same time. `never`: workers poll. Default `throttled`.
   */
  readonly notify?: CaptureNotify;
  /**
   * What happens when the trigger itself fails. `fail`: the statement that made the change fails with it. `note`: the
   * change stays, no job is written, and the loss is noted for `check()`. Default `fail`.
   */
  readonly onError?: 'fail' | 'note';
  /**
   * Whether what a handler of this kind writes through its `tx` is captured too. If it is, a handler that writes to the
   * captured table runs for ever. Default `skip`.
   */
  readonly ownWrites?: 'skip' | 'capture';
}

export interface CaptureEvents {
  /** Default false. */
  readonly insert?: boolean;
  /** The columns whose change counts. `true`: every row that an UPDATE comes to. Default false. */
  readonly update?: boolean | readonly string[];
  /** On Postgres, also TRUNCATE. Default false. */
  readonly delete?: boolean;
}
