import type { HeldJob } from './insight.js';
import type { QueuePart } from './queue-parts.js';

/** How many jobs are looked at. */
export interface LimitedJobsBounds {
  /** The most parts of queues, in the order of their queues and limits. */
  readonly parts: number;
  /** The most due jobs that are counted in all parts. Each part has an equal share of them, and at least 10. */
  readonly counted: number;
}

/** The jobs with limits that are due, or that a run has. */
export interface LimitedJobs {
  readonly parts: readonly LimitedPart[];
  /** Those that a run has: leased ones, and among the first due ones of each part. */
  readonly held: readonly LimitedJob[];
}

export interface LimitedPart extends QueuePart {
  /** Due jobs of the part. Those of held claims count too, as their rows do not change. */
  readonly due: number;
  /** Whether there may be more than were counted. */
  readonly more: boolean;
}

export interface LimitedJob extends HeldJob, QueuePart {
  /** Whether it counts among the due ones of its part. */
  readonly due: boolean;
}

/** How many slots of a limit are taken. */
export interface TakenSlots {
  readonly name: string;
  readonly taken: number;
}

/** The time of the starts of a limit. */
export interface RateTime {
  readonly name: string;
  /** How long until the next start would be, if all were evenly spaced, in microseconds. Negative for a time that has passed. */
  readonly nextInUs: number;
}
