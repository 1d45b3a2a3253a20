import type { JobError } from '../job/job.js';

/** The most jobs of one look. */
export const MOST_EXPIRED = 1_000;

/** The jobs that are of no use after a time: `NewJob.expires`. */
export interface Expiry {
  /**
   * The public ids of jobs whose time is over, by the database's clock. Without `of` also those that have ended, but not
   * those that a lease has, up to `MOST_EXPIRED`.
   */
  over(look: ExpiryLook): Promise<readonly string[]>;

  /**
   * Cancels those of these jobs that wait and were never redriven, and forgets their times and those of jobs that have
   * ended. Skips jobs that another transaction has. In a transaction of its own.
   *
   * @param by The host.
   * @returns the public ids of those that it has cancelled
   */
  cancel(publicIds: readonly string[], error: JobError, by: string): Promise<readonly string[]>;
}

/** Which jobs to look at: some, or all except some. */
export type ExpiryLook = { readonly of: readonly string[] } | { readonly except: readonly string[] };
