import type { JobId } from '../job/job.js';
import type { Json } from '../job/json.js';

/** A write that others may see before it is on the server's disk. */
export interface Receipt<Value> {
  /** Resolves with what the write brought, when everybody sees it. A server that stops in this moment may forget it. */
  readonly visible: Promise<Value>;
  /** Resolves when a server that stops then has it on its disk. Without a call nothing is done for that. */
  durable(): Promise<void>;
}

/** A run, or the runs that share a transaction, and the jobs; each job has a record of it. */
export interface RunRef {
  readonly runId: string;
  readonly jobs: readonly JobId[];
}

export interface RunStart extends RunRef {
  readonly workerId: string;
}

/** What the records of earlier runs say. */
export interface RunsStarted {
  /** Of the jobs that had runs before. */
  readonly earlier: readonly EarlierRuns[];
  /** The ids of runs of these jobs that have not ended. If there are any, nothing was written. */
  readonly unfinished: readonly string[];
}

/** What is known of a job's runs before this one. */
export interface EarlierRuns {
  readonly id: JobId;
  /** How many there were, ever. */
  readonly earlierRuns: number;
  /** Those among them that ended in a crash. */
  readonly crashes: number;
}

/** What may be written of a run while its transaction is open. */
export interface RunNote {
  readonly progress: Json;
}
