import type { Refused } from './apart.js';

/** The time of a job that waits for others: no claim takes it before. */
export const NEVER = new Date('9999-12-31T00:00:00Z');

/** The most jobs of one look. */
export const MOST_FOLLOWED = 1_000;

/** The jobs that wait for others. */
export interface Followers {
  /**
   * Gives back their times to waiting jobs (`NewJob.after`) that wait for no outstanding job any more. A job that is not in
   * the table is not outstanding. Skips jobs that another transaction has. Looks at up to `MOST_FOLLOWED` jobs, in a
   * transaction of its own.
   *
   * @param except The public ids of waiting jobs to leave out.
   */
  admit(look: FollowersLook, except?: readonly string[]): Promise<Admitted>;
}

/** Which waiting jobs to look at: those that wait for one of these jobs, or the next ones beyond a public id. */
export type FollowersLook = { readonly after: readonly string[] } | { readonly beyond: string };

export interface Admitted {
  /** The queues of the jobs that may be claimed now. */
  readonly queues: readonly string[];
  /** The `beyond` of the next look. Null at the end, and of a look by `after`. */
  readonly last: string | null;
  /** Whether a job was skipped that waits for no other one. Another look has to follow. */
  readonly skipped: boolean;
  /** Jobs that the database refuses to let go, by their public ids. */
  readonly refused: readonly Refused<string>[];
}
