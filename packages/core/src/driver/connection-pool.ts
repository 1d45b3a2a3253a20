import type { DriverError } from './driver-error.js';

/** The workers of this process that take connections from one pool. */
export interface Crew {
  readonly workers: number;
  /** The most runs of all these workers at once. */
  readonly concurrency: number;
}

/** The connections of one pool, for all drivers of this process on that pool. */
export interface ConnectionPool {
  /** Whether the application takes connections out of the same pool. */
  readonly isApplications: boolean;
  /** The most connections that the pool may have. */
  readonly most: number;
  readonly crew: Crew;

  /** Counts a worker, until the returned function is called. While there are any, short statements find a connection. */
  join(concurrency: number): () => void;

  /** @param listener Is called with the numbers when the server refuses to let the pool grow. Returns the end of that. */
  onShortage(listener: (shortage: DriverError) => void): () => void;
}
