import type { Duration } from '../duration.js';
import type { UniqueScope } from './job.js';
import type { Json } from './json.js';

/** The input of an enqueue. */
export interface EnqueueOptions<Payload> {
  /**
   * The handler's input, at most 1 MiB. Kept as JSON, and checked by its schema as JSON, at the enqueue and again at
   * the claim. A Date is text by then: `z.coerce.date()` accepts it, and `z.date()` does not.
   */
  readonly payload: Payload;
  /**
   * The entity the job is about, 1 to 512 characters. Jobs of one queue and key exclude each other. A job without a key
   * waits for no other job, and its handler's `group` and `after` do not apply to it.
   */
  readonly key?: string | null;
  /**
   * Lower runs sooner, -32768 to 32767. Ignored among jobs of one key, which start in the order of their ids. Default 0.
   */
  readonly priority?: number;
  /** How long to wait, by the database's clock. Default 0. */
  readonly delay?: Duration;
  /** The instant before which the job does not start. Not together with `delay`. */
  readonly runAt?: Date;
  /**
   * Refuses a second job of this kind with the same unique key, 1 to 512 characters. A string refuses it while the
   * first job is outstanding. Scope `'ever'` refuses it for as long as the first job is in the table.
   *
   * A running job is outstanding too. So a job that is enqueued during a run is a duplicate, though the run may have
   * read older data. If a run must follow the last change, do not use `unique`. Use `key` and a handler with `group`:
   * the next run takes all jobs that came during a run. Or use `onDuplicate`: the waiting job is replaced, and a job
   * that runs gets a follow-up. Not in an `enqueueMany` of several jobs.
   */
  readonly unique?: string | Unique | null;
  /**
   * Small facts about the job that are not its handler's input, e.g. the user. At most 64 KiB. The name `rowlock` is
   * Rowlock's own.
   */
  readonly metadata?: { readonly [name: string]: Json };
  /**
   * Public ids of jobs that go first, up to 1,000. The job starts when all of them have ended, in whatever state. Until
   * then its `availableAt` is in the year 9999. A job that is enqueued in an open transaction is known to this one alone.
   */
  readonly after?: readonly string[];
  /**
   * When the job is of no use any more: a time from now, by the database's clock, or an instant. From then on no run of it
   * begins, a repeated attempt neither. The job ends as `cancelled`, with the code `ROWLOCK_EXPIRED`, unless an operator
   * redrives it. A run that has begun goes on. Not together with `onDuplicate`.
   */
  readonly expires?: Duration | Date;
  /** The job's attempts, 1 to 1,000. Default: the handler's. */
  readonly attempts?: number;
}

/** A unique key, and what it does. */
export interface Unique {
  /** The text that no second job of the kind may have, 1 to 512 characters. */
  readonly key: string;
  /** For how long it refuses a second job: while the first is `outstanding`, or for `ever`. Default `outstanding`. */
  readonly scope?: UniqueScope;
  /** What a second job does to the first: `keep`, `replace` or a debounce. Default `keep`. */
  readonly onDuplicate?: OnDuplicate;
}

/**
 * - `keep`: the first job stays as it is.
 * - `replace`: the waiting job gets the payload, time, priority and limits of the second one.
 * - `debounce`: the same, and each enqueue puts the job off.
 *
 * If a run has the first job, with `replace` and `debounce` the second one is enqueued, and runs after it.
 */
export type OnDuplicate = 'keep' | 'replace' | { readonly debounce: Debounce };

export interface Debounce {
  /** How long the job waits after the last enqueue. */
  readonly quiet: Duration;
  /** How long it waits at most after the first one. */
  readonly max: Duration;
}
