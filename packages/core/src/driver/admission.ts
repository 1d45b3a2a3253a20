import type { LimitNumbers } from '../admission/limits-text.js';
import type { Rate } from '../admission/rate.js';
import type { LimitedJobs, LimitedJobsBounds, RateTime, TakenSlots } from './limited-jobs.js';
import type { NewPause, PauseMode, PauseTarget, PauseView } from './pause.js';
import type { PartsPage, PartsStretch } from './queue-parts.js';

/** What keeps due jobs from being claimed: limits and pauses. */
export interface Admission extends JoinableAdmission {
  /**
   * The parts of these queues that have due jobs with limits, locked or not. Those of a queue are in an order of their
   * texts that is always the same. A paused queue is passed over. Parts of a paused limit are looked at, and not
   * returned. Reads without locks, one step for each part.
   */
  limitedParts(stretch: PartsStretch): Promise<PartsPage>;

  /** The due jobs with limits in all queues, also paused ones, and those that a run has. Reads without locks. */
  limitedJobs(bounds: LimitedJobsBounds): Promise<LimitedJobs>;

  /**
   * How many slots of limits are taken at this moment, by jobs and without. A limit without slots may be missing. Keeps
   * no lock that a claim could meet.
   *
   * @param names Which limits. Without them: all that have slots, in the order of their names, up to 1,000.
   */
  takenSlots(names?: readonly string[]): Promise<readonly TakenSlots[]>;

  /**
   * The times of the starts of limits that were ever used. Reads without locks.
   *
   * @param names As that of `takenSlots`.
   */
  rateTimes(names?: readonly string[]): Promise<readonly RateTime[]>;

  /**
   * Takes a start of each of these rates, or of none. The rates are in the order of their names. By the database's
   * clock, as `startAt` defines it, in a transaction of its own. Numbers that `setLimit` has set count in place of those
   * given.
   *
   * @param take The id of this take, a UUID.
   * @returns How long until each rate allows a start, in milliseconds, in the same order. All 0: the starts are taken.
   */
  takeStarts(rates: readonly Rate[], take: string): Promise<readonly number[]>;

  /**
   * Gives back the starts of a take: the rates are as before. A rate from which another start was taken since then stays
   * as it is, as its pauses were counted from this start.
   *
   * @param names In order.
   */
  giveBackStarts(names: readonly string[], take: string): Promise<void>;

  /**
   * Deletes slots of limits that nobody has, and that were made at least `ageMs` milliseconds ago. A limit makes slots
   * again when it needs them. Looks at up to 100 limits, in the order of their names, behind the name `beyond`. Leaves
   * those alone whose `max` was set. Deletes nothing while somebody takes a slot of the same limit.
   *
   * @returns the last name, or null if none is behind it
   */
  pruneSlots(beyond: string, ageMs: number): Promise<string | null>;
}

/** The verbs that a caller's transaction may have. */
export interface JoinableAdmission {
  /**
   * Sets the numbers of a limit for all takers, in place of what they say, and of an earlier setting. What is left out is
   * as they say. Null: all is as they say again. Those who have slots keep them, and earlier starts count on.
   *
   * @param by Who sets it.
   */
  setLimit(name: string, numbers: LimitNumbers | null, by: string): Promise<void>;

  /** The limits whose numbers were set, in the order of their names, up to 1,000. */
  limits(): Promise<readonly LimitSetting[]>;

  /**
   * Pauses work, in place of an earlier pause of the same target. No claim that begins after the commit takes a job of
   * it. Jobs that are claimed already go on. Also deletes pauses that have ended, and wakes workers with the commit.
   *
   * @param mode With `extend`, an earlier pause that ends later, or never, stays as it is. Default: `replace`.
   */
  pause(pause: NewPause, mode?: PauseMode): Promise<void>;

  /** Ends the pause of this target, if there is one. Other pauses stay. Wakes workers with the commit. */
  resume(target: PauseTarget): Promise<void>;

  /** The pauses that have not ended, in the order of their scopes and names, up to 1,000. */
  pauses(): Promise<readonly PauseView[]>;
}

/** A limit whose numbers were set at run time. */
export interface LimitSetting extends LimitNumbers {
  readonly name: string;
  readonly setAt: Date;
  readonly setBy: string;
}
