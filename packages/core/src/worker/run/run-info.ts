/** A run, in events. */
export interface RunInfo {
  /** Runs that share a transaction share this id. */
  readonly runId: string;
  readonly queue: string;
  readonly kind: string;
  /** Null also if its jobs have several keys. */
  readonly key: string | null;
  /** The public ids of its jobs. */
  readonly jobs: readonly string[];
  /** The attempt of the first of its jobs, from 1. Crashed runs count. */
  readonly attempt: number;
}
