import type { Job } from '../../job/job.js';

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

/** The key of all these jobs. Null if they have several, or none. */
export function keyOfAll([first, ...others]: readonly Pick<Job, 'key'>[]): string | null {
  return first !== undefined && others.every(({ key }) => key === first.key) ? first.key : null;
}
