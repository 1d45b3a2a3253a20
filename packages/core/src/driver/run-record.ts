import type { Job, JobId } from '../job/job.js';

/** A write that is visible to others before it is durable. */
export interface Receipt<Value> {
  /** Resolves with the result of the write, when it is visible to all. A server that crashes now may lose the write. */
  readonly visible: Promise<Value>;
  /** Resolves when the write is durable. Nothing is flushed without a call. */
  durable(): Promise<void>;
}

/** A run, or the runs that share a transaction, and their jobs. Each job has a record of its run. */
export interface RunRef {
  readonly runId: string;
  readonly jobs: readonly JobId[];
}

/**
 * A job on record. Ids may come again, for example after a TRUNCATE. A record is of another job if it was made for jobs
 * that are all older than this one.
 */
export type RecordedJob = Pick<Job, 'id' | 'createdAt'>;

export interface RunStart {
  readonly runId: string;
  readonly workerId: string;
  readonly jobs: readonly RecordedJob[];
}

/** The contents of the records of earlier runs. */
export interface RunsStarted {
  /** The earlier runs of jobs that have any. */
  readonly earlier: readonly EarlierRuns[];
  /** The ids of runs of these jobs that have not ended. If there are any, no run has begun. */
  readonly unfinished: readonly string[];
}

/** A job's runs before this one. */
export interface EarlierRuns {
  readonly id: JobId;
  /** How many there were, ever. */
  readonly earlierRuns: number;
  /** How many of them ended in a crash. */
  readonly crashes: number;
}
