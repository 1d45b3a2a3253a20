import type { JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';
import type { KindsServed } from './anchor.js';
import type { HoldingRun, NamedJob } from './situation.js';

/** Which jobs of a queue to look at. */
export interface FrontQuestion {
  readonly queue: string;
  /** The most jobs, without the first ones of keys. */
  readonly limit: number;
  /** Kinds, each with those whose earlier jobs of a key go first. Kinds that wait for none need not be in it. */
  readonly after: KindsServed;
}

/** The jobs at the front of a queue. */
export interface Front {
  /** The database's clock. */
  readonly now: Date;
  /** In any order. */
  readonly jobs: readonly FrontJob[];
  /** Whether the queue may have more than these. */
  readonly more: boolean;
}

/** What the rows say of a job that waits or runs. */
export interface FrontJob extends NamedJob {
  readonly id: JobId;
  readonly key: string | null;
  readonly priority: number;
  /** The text of its limits. */
  readonly limits: string;
  /** The row's state. */
  readonly status: State;
  /** Whether the claim's index has the job. */
  readonly due: boolean;
  readonly availableAt: Date;
  /** The run that has the job. */
  readonly run: HoldingRun | null;
  /** The public id of an outstanding job for which it waits, by `after` of its enqueue. */
  readonly followed: string | null;
  /** The public id of the first outstanding job of its key that goes first, by `after` of its handler. */
  readonly dependency: string | null;
}
