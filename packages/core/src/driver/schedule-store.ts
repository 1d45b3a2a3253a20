import type { JobContent, NewJob } from '../job/job.js';
import type { WakeUp } from './wake-up.js';

/** The most schedules of one page. */
export const MOST_FOUND = 1_000;

/**
 * The schedules of a database. Each verb commits by itself, or is part of the caller's transaction. All times are
 * milliseconds since 1970, by the database's clock. Names are compared byte by byte.
 */
export interface JoinableSchedules {
  /**
   * Reads without locks, in the order of the names.
   *
   * @param which Names, or a page: up to `MOST_FOUND` of all, beyond a name.
   */
  find(which: readonly string[] | { readonly beyond: string }): Promise<FoundSchedules>;

  /**
   * Inserts schedules, or changes those that are as they were read. One that is otherwise by now stays as it is: it may have
   * fired. A pause stays.
   */
  set(schedules: readonly NewSchedule[], by: string): Promise<void>;

  /** Returns whether there is such a schedule. One that is paused already stays as it is. */
  pause(name: string, by: string): Promise<boolean>;

  /** Ends a pause. Returns false, and changes nothing, unless the schedule has this fingerprint and is paused. */
  resume(name: string, fingerprint: string, nextAt: number | null): Promise<boolean>;

  /** Returns whether there was such a schedule. */
  remove(name: string): Promise<boolean>;
}

/** The schedules on the driver's own pool: these verbs work in transactions of their own. */
export interface ScheduleStore extends JoinableSchedules {
  /**
   * The schedules whose time has come, the earliest first. Those that are paused have none. Reads without locks.
   *
   * @param except The names of schedules to leave out.
   */
  due(except: readonly string[], limit: number): Promise<DueSchedules>;

  /**
   * SKIP LOCKED. Moves schedules to their next times and enqueues their jobs, in one transaction. A schedule that is not
   * as it was read is left out: its next time or fingerprint differs, or it is paused or gone. So a tick is fired once,
   * whoever tries. A tick whose job is a duplicate counts as skipped.
   *
   * @returns the names of those that were moved
   */
  fire(firings: readonly Firing[]): Promise<readonly string[]>;

  /** Notes why a schedule cannot be fired, until it is fired or set. Not if it is otherwise than it was read. */
  noteBroken(read: Pick<Firing, 'name' | 'at' | 'fingerprint'>, why: string): Promise<void>;
}

/** When a schedule's instants are. The jitter is added to each. */
export type Timing = { readonly jitterMs: number } & (
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everyMs: number; readonly anchorMs: number }
);

export type Missed = 'skip' | 'once' | { readonly all: { readonly max: number } };

export type Overlap = 'skip' | 'queue' | 'allow';

/** What a schedule does, as plain data. A driver keeps it and does not look into it. */
export interface SchedulePlan {
  readonly job: JobContent;
  readonly timing: Timing;
  readonly missed: Missed;
  readonly overlap: Overlap;
}

export interface NewSchedule {
  readonly name: string;
  readonly plan: SchedulePlan;
  /** Two plans have the same one if they are equal. */
  readonly fingerprint: string;
  readonly source: ScheduleSource;
  /** Null: never. */
  readonly nextAt: number | null;
  /** As the row was read. Null: there was none. */
  readonly read: ReadSchedule | null;
}

/** What tells whether a schedule is as it was read. */
export type ReadSchedule = Pick<ScheduleRow, 'fingerprint' | 'source' | 'nextAt'>;

/** Whether a program declares the schedule, or a call has set it. */
export type ScheduleSource = 'code' | 'dynamic';

export interface ScheduleRow extends Omit<NewSchedule, 'read' | 'plan'> {
  /** A `SchedulePlan`, unless another version or another hand has written it. */
  readonly plan: unknown;
  /** The newest instant that is over, whether it had a job or not. */
  readonly tickAt: number | null;
  /** When a job came of a tick last. */
  readonly firedAt: number | null;
  /** The ticks that had no job because an earlier one was outstanding. */
  readonly skipped: number;
  /** The newest of them. */
  readonly skippedTickAt: number | null;
  /** The public id of the job that was outstanding then. */
  readonly skippedFor: string | null;
  /** Why it cannot be fired. */
  readonly broken: string | null;
  readonly brokenAt: number | null;
  readonly pausedAt: number | null;
  readonly pausedBy: string | null;
  readonly updatedAt: number;
  readonly updatedBy: string;
}

export interface FoundSchedules {
  readonly now: number;
  readonly schedules: readonly ScheduleRow[];
}

export interface DueSchedules extends FoundSchedules {
  /** Milliseconds until the first schedule's time, of all that are not paused. Not positive if it has come. Null: none. */
  readonly nextMs: number | null;
}

/** The move of a due schedule. */
export interface Firing {
  readonly name: string;
  /** The next time and the fingerprint that it was read with. */
  readonly at: number;
  readonly fingerprint: string;
  readonly nextAt: number | null;
  /** The newest instant that is over with this. */
  readonly tickAt: number;
  readonly jobs: readonly NewJob[];
  readonly wakeUps: readonly WakeUp[];
}
