import type { JobError, JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';
import type { KindsServed } from './anchor.js';
import type { Lane } from './lane.js';
import type { RunView } from './run-view.js';

/** What operators look at. All of it reads without locks, and writes nothing. */
export interface Insight {
  /**
   * Reads jobs by the conditions of the claim, and what may be in their way. Adds the first available job of each key that
   * is among these, and the first one that a run has.
   *
   * Of a queue these are the jobs at its front, paused ones too: first leased ones, then due ones in the order of the
   * claim, then delayed ones in the order of their times. Of due jobs with limits, each part has an equal share, and at
   * least one job.
   */
  facts(question: FactsQuestion): Promise<Facts>;

  /**
   * The waiting jobs of all queues, by queue and kind. Of each queue counts the first `most` due jobs in the order of the
   * claim, and as many delayed ones.
   *
   * @param inAll The most of all queues together. Each queue has an equal share of them, and at least 100. Default: no
   * bound.
   */
  backlog(most: number, inAll?: number): Promise<readonly Backlog[]>;

  /**
   * The runs of a job that are on record, oldest first: see `runsOf`. Undefined if there is no such job. Or the runs that
   * began in a time, newest first, by the workers' newest runs. These are without the runs of workers whose rows are gone,
   * and without those whose jobs are gone.
   */
  runs(question: RunsQuestion): Promise<readonly BegunRun[] | undefined>;
}

/** Which jobs to look at. */
export type FactsQuestion = (QueueFront | NamedJobs) & {
  /** Kinds, each with those whose earlier jobs of a key go first. Kinds that wait for none need not be in it. */
  readonly after: KindsServed;
};

/** The front of a queue. */
export interface QueueFront {
  readonly queue: string;
  /** The most jobs, without those that are added of their keys. */
  readonly limit: number;
}

export interface NamedJobs {
  readonly publicIds: readonly string[];
  /** The most jobs before each of them that are counted. */
  readonly mostBefore: number;
  /** The kinds that live workers serve, by queue. */
  readonly served: Readonly<Record<string, readonly string[]>>;
}

export interface Facts {
  /** The database's clock. */
  readonly now: Date;
  /** In any order. Those of a queue's front are not settled. */
  readonly jobs: readonly JobFacts[];
  /** Whether the queue may have more than these. */
  readonly more: boolean;
}

/** What the rows say of a job. */
export interface JobFacts extends NamedJob, Lane {
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
  readonly finishedAt: Date | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Null of a queue's front. */
  readonly error: JobError | null;
  /** The run that has the job. */
  readonly run: HoldingRun | null;
  /**
   * Outstanding jobs for which it waits by `after` of its enqueue, up to 10, and whether there are more. One of a queue's
   * front. Empty once it has its own time.
   */
  readonly followed: { readonly jobs: readonly NamedJob[]; readonly more: boolean };
  /** The first outstanding job of its key that goes first, by `after` of its handler. */
  readonly dependency: NamedJob | null;
  /**
   * How many due jobs of its part of the queue claims take first. Without those that no claim takes: of paused kinds and
   * of kinds that nobody serves, those that wait by `after` of their handlers, those that a run has, those whose key a run
   * has, and those of a key whose first job is such a job or has other limits. Without those of its own key. 0 of a
   * queue's front.
   */
  readonly before: number;
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

/** The jobs of a queue and kind that wait, by their rows. */
export interface Backlog extends Lane {
  /** Those whose time has come. Jobs that a held claim has count too. */
  readonly due: number;
  /** The due ones that a pause stops. */
  readonly paused: number;
  readonly delayed: number;
  /** Whether the queue may have more due jobs, or more delayed ones, than were counted. */
  readonly more: boolean;
  readonly moreDelayed: boolean;
  /** How long the due job whose time came first has been due, in milliseconds. */
  readonly oldestDueMs: number | null;
}

/** Of a job, or of a time. */
export type RunsQuestion = { readonly publicId: string } | BegunIn;

/** A time in which runs began. */
export interface BegunIn {
  readonly from: Date;
  /** Not included. Null: until now. */
  readonly before: Date | null;
  /** The most runs, the newest ones. */
  readonly limit: number;
}

/** A run, and one of its jobs. */
export interface BegunRun extends RunView, NamedJob, Lane {
  readonly key: string | null;
}
