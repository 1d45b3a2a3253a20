import type { RateNumbers } from '../admission/rate.js';
import type { JobError } from '../job/job.js';
import type { State } from '../job/lifecycle.js';

/** What to find out of a job. */
export interface SituationQuestion {
  readonly publicId: string;
  /** The kinds of `after`: an earlier, outstanding job of these and of its key goes first. */
  readonly after: readonly string[];
  /** The most jobs before it that are counted. */
  readonly most: number;
}

/** What the rows say of a job, and of what may be in its way. */
export interface Situation extends NamedJob {
  /** The database's clock. */
  readonly now: Date;
  readonly queue: string;
  readonly key: string | null;
  /** The text of its limits. */
  readonly limits: string;
  /** The row's state. */
  readonly status: State;
  /** Whether the claim's index has the job. */
  readonly due: boolean;
  readonly availableAt: Date;
  readonly finishedAt: Date | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly error: JobError | null;
  /** The run that has the job. */
  readonly run: HoldingRun | null;
  /** Another job of its queue and key that a run has. */
  readonly sibling: HeldJob | null;
  /** The first available job of its queue and key, if that is another one, and was enqueued before it. */
  readonly earlier: NamedJob | null;
  /** The first outstanding job of its key and of the kinds in question that was enqueued before it. */
  readonly dependency: NamedJob | null;
  /** Outstanding jobs for which it waits, up to 10, and whether there are more. Empty once it has its own time. */
  readonly followed: { readonly jobs: readonly NamedJob[]; readonly more: boolean };
  /** How many due jobs of its part of the queue the claim meets first. Without those of paused kinds, and those that a run has. */
  readonly before: number;
  /** The times of those of its limits from which a start was ever taken. */
  readonly rates: readonly RateTime[];
}

export interface NamedJob {
  readonly publicId: string;
  readonly kind: string;
}

/** A run that has a job now: by a record that is not over, of a live worker; or by a lease. */
export interface HoldingRun {
  readonly runId: string;
  /** The name of the worker. Null if its row is gone. */
  readonly worker: string | null;
  readonly since: Date | null;
  /** Whether the worker is alive. The lease of one that is not is put back by others. */
  readonly alive: boolean;
}

export interface HeldJob extends NamedJob {
  readonly run: HoldingRun;
}

/** The time of the starts of a limit. */
export interface RateTime {
  readonly name: string;
  /** How long until the next start would be, if all were evenly spaced, in microseconds. Negative for a time that has passed. */
  readonly nextInUs: number;
  /** The numbers that were set for all. */
  readonly numbers: RateNumbers | null;
}
