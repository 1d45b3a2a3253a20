import type { Refused } from './apart.js';

/** The queues and kinds that a worker serves. */
export interface Lanes {
  readonly queues: readonly string[];
  readonly kinds: readonly string[];
}

export interface Survey {
  /** How many delayed jobs became due. */
  readonly promoted: number;
  /**
   * Milliseconds until the next delayed job of these queues becomes due, or a pause ends, of any work. Null if there is
   * neither.
   */
  readonly nextDueMs: number | null;
  /**
   * Whether a due job of these queues and kinds is in the table, locked or not. Paused jobs do not count, and jobs that
   * were just promoted need not.
   */
  readonly waiting: boolean;
  /** Whether such a job without limits is in the table. */
  readonly unlimited: boolean;
  /** Whether a job of these queues is in progress by a lease of any worker. */
  readonly leased: boolean;
  /** Whether a due job of these queues has limits. Paused jobs may count too. */
  readonly limited: boolean;
  /** Whether a job of any queue may wait for others: `NewJob.after`. */
  readonly followers: boolean;
  /** Milliseconds until the time of the first job is over: `NewJob.expires`. Not positive if it is. Null if there is none. */
  readonly nextExpiryMs: number | null;
  /** Milliseconds until the first schedule is due. Not positive if it is. Null if there is none, or no queue was given. */
  readonly nextTickMs: number | null;
  /** Delayed jobs that the database refuses to make due, by their public ids. */
  readonly refused: readonly Refused<string>[];
}

/** The leases to check. */
export interface ReclaimScope {
  readonly queues: readonly string[];
  /** The ids of workers that have not been alive for long enough. */
  readonly dead: readonly string[];
  /** The worker that calls. Without it, no lease counts as its own. */
  readonly own?: OwnLeases;
  /** The public ids of jobs to leave out. */
  readonly except?: readonly string[];
}

/** A worker, and those of its runs that are over in its process although their leases are not. */
export interface OwnLeases {
  readonly workerId: string;
  /** The ids of the runs. */
  readonly ended: readonly string[];
}

export interface Reclaimed {
  /** How many jobs were put back. */
  readonly reclaimed: number;
  /** The ids of the workers that have leases in these queues and are not alive. */
  readonly missing: readonly string[];
  /** The ids of the runs that have leases of the calling worker in these queues. */
  readonly own: readonly string[];
  /** Jobs that the database refuses to put back, by their public ids. */
  readonly refused: readonly Refused<string>[];
}
