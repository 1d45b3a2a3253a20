/** A run, as events tell of it. */
export interface RunInfo {
  /** Runs that share a transaction share it. */
  readonly runId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  /** The public ids of its jobs. */
  readonly jobs: readonly string[];
}
