import type { JobError, Json, Logger, Rowlock, Tick } from '@rowlock/core';
import type { HandlerDefaults, Resolve } from '@rowlock/core/types';
import type { EnqueuedJob } from './jobs-of.js';

export interface RunHandlerOptions<Tx = unknown, Payload = unknown> {
  /**
   * The handler's `tx`: an open transaction of its database, which the test rolls back. A handler that throws loses what it
   * has written in it, as in a worker. Default: none, and a handler that reads `tx` gets an error.
   */
  readonly tx?: Tx;
  /** Writes what the handler enqueues, in `tx` if there is one. Default: it is not written. */
  readonly rowlock?: Rowlock<Tx>;
  /** The key of the jobs. Default: none. */
  readonly key?: string;
  /** The metadata of the jobs. Default: none. */
  readonly metadata?: { readonly [name: string]: Json };
  /** Which attempt it is: the attempts before have failed. Default 1. */
  readonly attempt?: number;
  /** The payloads of the run's other jobs, for a handler with `group`. Needs `key`. Default: none. */
  readonly group?: readonly Payload[];
  /** The tick of a schedule that the jobs are of. Default: none. */
  readonly tick?: Tick;
  /** Builds a handler that is a class, as that of `createRowlock`. */
  readonly resolve?: Resolve<Tx>;
  /** The defaults of all handlers, as those of `createRowlock`. */
  readonly defaults?: HandlerDefaults;
  /** Cancels the jobs, which aborts the handler's own signal. */
  readonly signal?: AbortSignal;
  /** Receives what the handler logs. Default: nothing does. */
  readonly log?: Logger;
}

/** How a run ended for a job. */
export interface JobEnding<Output = Json> {
  /** In the words of what handlers return. What is thrown is a `retry`, and at the last attempt a `fail`. */
  readonly outcome: 'complete' | 'retry' | 'snooze' | 'pause' | 'fail' | 'cancelled';
  /** Null unless the job is complete. */
  readonly output: Output | null;
  readonly error: JobError | null;
  /** How long the job waits for its next run, in milliseconds. Null if it has ended. */
  readonly delayMs: number | null;
}

/** A run, and how it ended for its first job. */
export interface HandlerRun<Output = Json> extends JobEnding<Output> {
  /** How it ended for each job: that of the payload, then those of `group`. */
  readonly jobs: readonly JobEnding<Output>[];
  /** The last value of its progress. Null without one. */
  readonly progress: Json;
  /** What the handler has enqueued, also if it was undone. */
  readonly enqueued: readonly EnqueuedJob[];
}
