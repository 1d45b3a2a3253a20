import type { Json } from './json.js';
import type { State } from './lifecycle.js';

/** A job's place in the table: ever-increasing, orders the queue, never shown to the outside. */
export type JobId = bigint;

/** One row as a worker holds it: a request for work. */
export interface Job {
  readonly id: JobId;
  /** A UUID that cannot be guessed: the only id that an API shows. */
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  /** The entity the job is about. Jobs of one queue and key exclude each other; null excludes nothing. */
  readonly key: string | null;
  readonly payload: Json;
  /** -32768 to 32767. Lower runs sooner. */
  readonly priority: number;
  readonly status: State;
  /**
   * Attempts counted so far: 0 during the first run, of which a handler's own `job.attempt` is 1. Without the crashes that no later
   * settlement has counted yet.
   */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How many crashed runs `attempt` already includes. */
  readonly crashes: number;
  /** How often it was redriven. */
  readonly redrives: number;
  readonly metadata: { readonly [name: string]: Json };
  readonly createdAt: Date;
}

/** What a client sees of a job. */
export interface JobView<Payload = Json, Output = Json> extends Omit<Job, 'id' | 'payload'> {
  /** As it was enqueued, and kept as JSON: not what the schema makes of it. */
  readonly payload: Payload;
  /** As the table has it, and `in-progress` also while a live worker holds the job's lock. */
  readonly status: State;
  readonly uniqueKey: string | null;
  /** When the job may start. */
  readonly availableAt: Date;
  /** What the job was completed with; null until then. */
  readonly output: Output | null;
  readonly error: JobError | null;
  /** The run that settled the job last, or that has it now. */
  readonly runId: string | null;
  /** The name of the worker that has the job now. */
  readonly worker: string | null;
  /**
   * What was last written of what the handler reported, of the run that has the job now, or had it last. What it reports within 100 ms
   * before it ends is not: `output` and `error` say what came of a job.
   */
  readonly progress: Json;
  readonly createdBy: string;
  readonly startedAt: Date | null;
  readonly startedBy: string | null;
  readonly finishedAt: Date | null;
  readonly finishedBy: string | null;
}

/** Why a job failed, as it stands in the row. */
export interface JobError {
  /** Stable, for programs: `ROWLOCK_INVALID_PAYLOAD`, or the `code` of the error that was thrown. */
  readonly code: string;
  readonly message: string;
  /** What went wrong where, e.g. the issues that a payload's schema found. */
  readonly details?: Json;
}

/** A row to be: everything that an enqueue writes. */
export interface NewJob {
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: Json;
  readonly priority: number;
  /** Milliseconds from now, by the database's clock, or the instant at which the job may start. */
  readonly available: { readonly inMs: number } | { readonly at: Date };
  readonly maxAttempts: number;
  /** Refuses a second job of this kind, in whatever queue, with this key, whichever scope either has. */
  readonly unique: { readonly key: string; readonly scope: UniqueScope } | null;
  readonly metadata: { readonly [name: string]: Json };
  readonly createdBy: string;
}

/** How long a unique key refuses a second job: while the first is outstanding, or for as long as it is kept. */
export type UniqueScope = 'outstanding' | 'ever';

/** What became of an enqueue. A duplicate carries the public id of the job that was there before. */
export interface Enqueued {
  readonly outcome: 'enqueued' | 'duplicate';
  readonly publicId: string;
}
