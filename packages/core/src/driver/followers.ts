/** The time of a job that waits for others: no claim takes it before. */
export const NEVER = new Date('9999-12-31T00:00:00Z');

/** The most jobs of one look. */
export const MOST_FOLLOWED = 1_000;

/** Which waiting jobs to look at: those that wait for one of these jobs, or the next ones beyond a public id. */
export type FollowersLook = { readonly after: readonly string[] } | { readonly beyond: string };

export interface Admitted {
  /** The queues of the jobs that may be claimed now. */
  readonly queues: readonly string[];
  /** The `beyond` of the next look. Null at the end, and of a look by `after`. */
  readonly last: string | null;
  /** Whether a job was skipped that waits for no other one. Another look has to follow. */
  readonly skipped: boolean;
}
