import type { LimitNumbers } from '../job/limits-text.js';
import type { Rate } from '../job/rate.js';
import type { Refused } from './apart.js';
import type { HeldJob } from './insight.js';
import type { NewPause, PauseMode, PauseTarget, PauseView } from './pause.js';
import type { PartsPage, PartsStretch, QueuePart } from './queue-parts.js';

/** What decides whether a job may run now: the numbers of limits that were set, and pauses. */
export interface JoinableAdmission {
  /**
   * Sets the numbers of a limit for all takers, in place of what they say, and of an earlier setting. What is left out is
   * as they say. Null: all is as they say again. Those who have slots keep them, and earlier starts count on.
   *
   * @param by Who sets it.
   */
  set(name: string, numbers: LimitNumbers | null, by: string): Promise<void>;

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

/** The same, and the jobs, slots and starts of limits. */
export interface Admission extends JoinableAdmission {
  /**
   * The parts of these queues that have due jobs with limits, locked or not. Those of a queue are in an order of their
   * texts that is always the same. A paused queue is passed over. Parts of a paused limit are looked at, and not
   * returned. Reads without locks, one step for each part.
   */
  parts(stretch: PartsStretch): Promise<PartsPage>;

  /**
   * Takes a start of each of these rates, or of none. The rates are in the order of their names. By the database's
   * clock, as `startAt` defines it, in a transaction of its own. Numbers that were set count in place of those given.
   *
   * @param take The id of this take, a UUID.
   * @returns How long until each rate allows a start, in milliseconds, in the same order. All 0: the starts are taken.
   */
  take(rates: readonly Rate[], take: string): Promise<readonly number[]>;

  /**
   * Gives back the starts of a take: the rates are as before. A rate from which another start was taken since then stays
   * as it is, as its pauses were counted from this start.
   *
   * @param names In order.
   */
  giveBack(names: readonly string[], take: string): Promise<void>;

  /** The due jobs with limits in all queues, also paused ones, and those that a run has. Reads without locks. */
  jobs(bounds: LimitedJobsBounds): Promise<LimitedJobs>;

  /**
   * The limits whose numbers were set, those that have slots, and those from which a start was ever taken. Keeps no lock
   * that a claim could meet.
   *
   * @param names Which limits. Without them: all, up to 1,000 of each of the three.
   */
  limits(names?: readonly string[]): Promise<readonly LimitInUse[]>;

  /**
   * Deletes slots of limits that nobody has, and that were made at least `ageMs` milliseconds ago. A limit makes slots
   * again when it needs them. Looks at up to 100 limits, in the order of their names, behind the name `beyond`. Leaves
   * those alone whose `max` was set. Deletes nothing while somebody takes a slot of the same limit. A limit whose slots the
   * database refuses to delete holds up no other one.
   */
  prune(beyond: string, ageMs: number): Promise<PrunedSlots>;
}

export interface PrunedSlots {
  /** The last name, or null if none is behind it. */
  readonly last: string | null;
  /** The names of limits whose slots stay. */
  readonly refused: readonly Refused<string>[];
}

/** A limit whose numbers were set at run time. */
export interface LimitSetting extends LimitNumbers {
  readonly name: string;
  readonly setAt: Date;
  readonly setBy: string;
}

/** A limit at this moment. */
export interface LimitInUse {
  readonly name: string;
  /** Null: no numbers were set. */
  readonly set: LimitSetting | null;
  /** How many slots are taken, by jobs and without. */
  readonly taken: number;
  /**
   * How long until the next start would be, if all were evenly spaced, in microseconds. Negative for a time that has
   * passed. Null: no start was ever taken.
   */
  readonly nextInUs: number | null;
}

/** Limits by their settings, by their slots and by their starts, as one list. */
export function limitsInUse(
  settings: readonly LimitSetting[],
  slots: readonly { readonly name: string; readonly taken: number }[],
  starts: readonly { readonly name: string; readonly nextInUs: number }[],
): readonly LimitInUse[] {
  const set = new Map(settings.map((each) => [each.name, each]));
  const taken = new Map(slots.map((limit) => [limit.name, limit.taken]));
  const times = new Map(starts.map(({ name, nextInUs }) => [name, nextInUs]));
  return [...new Set([...set.keys(), ...taken.keys(), ...times.keys()])].map((name) => ({
    name,
    set: set.get(name) ?? null,
    taken: taken.get(name) ?? 0,
    nextInUs: times.get(name) ?? null,
  }));
}

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
