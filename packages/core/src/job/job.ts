import type { Json } from './json.js';
import type { State } from './lifecycle.js';
import type { Limits } from './limits-text.js';

/** A job's place in the table: always increasing, orders the queue, never shown to the outside. */
export type JobId = bigint;

/** One row as a worker holds it: a request for work. */
export interface Job {
  readonly id: JobId;
  /** A UUID that cannot be guessed: the only id that an API shows. */
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  /** The entity the job is about. Jobs of one queue and key exclude each other. Null excludes nothing. */
  readonly key: string | null;
  readonly payload: Json;
  /** -32768 to 32767. Lower runs sooner. */
  readonly priority: number;
  readonly status: State;
  /**
   * Attempts counted so far: 0 during the first run, where a handler's own `job.attempt` is 1. Excludes crashes that no
   * later settlement has counted yet.
   */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How many of the attempts in `attempt` were crashes. */
  readonly crashes: number;
  /** How often it was redriven. */
  readonly redrives: number;
  readonly metadata: { readonly [name: string]: Json };
  /** The text of its limits, fixed at the enqueue: see `limitsText`. Empty if it has none. */
  readonly limits: string;
  readonly createdAt: Date;
  /** How long its time had come when this was read, by the database's clock, in milliseconds. */
  readonly waitedMs: number;
}

/** A job, as clients see it. */
export interface JobView<Payload = Json, Output = Json>
  extends Omit<Job, 'id' | 'payload' | 'limits' | 'waitedMs'> {
  /** The limits that its runs keep, by name. */
  readonly limits: Limits;
  /** The input of the enqueue, kept as JSON. Not the schema's output. */
  readonly payload: Payload;
  /** The row's state. Also `in-progress` while a live worker holds the job's lock. */
  readonly status: State;
  readonly uniqueKey: string | null;
  /** When the job may start. */
  readonly availableAt: Date;
  /** From when on no run of it begins, by the `expires` of its enqueue. Null without, and from a redrive on. */
  readonly expiresAt: Date | null;
  /** The output of the completed job. Null until then. */
  readonly output: Output | null;
  readonly error: JobError | null;
  /** The run that settled the job last, or that has it now. */
  readonly runId: string | null;
  /** The name of the worker that has the job now. */
  readonly worker: string | null;
  /**
   * The last written progress of the run that has the job now, or had it last. Progress from the last 100 ms of a run
   * may be missing: read `output` and `error` for the result.
   */
  readonly progress: Json;
  readonly createdBy: string;
  readonly startedAt: Date | null;
  readonly startedBy: string | null;
  readonly finishedAt: Date | null;
  readonly finishedBy: string | null;
}

/** The reason why a job failed, as its row keeps it. */
export interface JobError {
  /** Stable, for programs: `ROWLOCK_INVALID_PAYLOAD`, or the `code` of the error that was thrown. */
  readonly code: string;
  readonly message: string;
  /** The details, e.g. the issues that a payload's schema found. */
  readonly details?: Json;
  /**
   * Where an error was thrown, and the causes of that error: up to 12 frames of each, up to 4,000 characters. The message of
   * the error itself is not in it.
   */
  readonly stack?: string;
}

/** What a job is, whenever it runs. */
export type JobContent = Pick<
  Job,
  'queue' | 'kind' | 'key' | 'payload' | 'priority' | 'maxAttempts' | 'metadata' | 'limits'
>;

/** A new row: everything that an enqueue writes. */
export interface NewJob extends JobContent {
  /** Milliseconds from now, by the database's clock, or the instant at which the job may start. */
  readonly available: { readonly inMs: number } | { readonly at: Date };
  /** Refuses a second job of this kind with this key, in any queue and with either scope. */
  readonly unique: { readonly key: string; readonly scope: UniqueScope } | null;
  readonly createdBy: string;
  /** When it is of no use any more, as `available`: no run begins then. Default: never. */
  readonly expires?: NewJob['available'];
  /** Public ids of jobs that must be settled first, up to 1,000, each once. */
  readonly after?: readonly string[];
}

/** How long a unique key refuses a second job: while the first is outstanding, or for as long as the first is kept. */
export type UniqueScope = 'outstanding' | 'ever';

/**
 * The result of an enqueue, and the public id of the job. `duplicate`: of the job that has the unique key. `replaced`: of
 * the waiting job that was changed. `follow-up`: of a new job that runs after the one that has the unique key.
 */
export interface Enqueued {
  readonly outcome: 'enqueued' | 'duplicate' | 'replaced' | 'follow-up';
  readonly publicId: string;
}

/** A number of jobs. `more`: there may be more than `count`. */
export interface JobCount {
  readonly count: number;
  readonly more: boolean;
}
