import type { Job, JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';

/** Says which jobs are meant. All of the given conditions hold for each of them. */
export interface JobFilter {
  /** These jobs, 1 to 1,000. A driver gets them in lower case, as in the rows. */
  readonly publicIds?: readonly string[];
  /** One queue, or several. */
  readonly queue?: string | readonly string[];
  /** One kind, or several. */
  readonly kind?: string | readonly string[];
  readonly key?: string;
  /**
   * One status of a `JobView`, or several. A job is `in-progress`, whatever its row says, if its newest run has not
   * ended and is of a live worker. The query for `in-progress` must not slow down with the number of waiting jobs.
   */
  readonly status?: State | readonly State[];
  /** When the job was enqueued. */
  readonly created?: TimeRange;
  /** When the job was settled. Outstanding jobs have no such time. */
  readonly settled?: TimeRange;
  /** When the job may start, or might: its `availableAt`. */
  readonly due?: TimeRange;
  /** The error that the job shows. A job that waits for another attempt shows that of the last one. */
  readonly error?: ErrorFilter;
  /**
   * Members that the payload has, at any depth: `{ customer: { id: 7 } }`. It may have others. Values are texts, numbers,
   * booleans and null. Texts are compared by their characters, and numbers as doubles.
   */
  readonly payload?: Members;
}

/** A stretch of time. */
export interface TimeRange {
  /** The first time that is meant. Default: there is no first one. */
  readonly from?: Date;
  /** The first time after it that is not meant. Default: there is none. */
  readonly before?: Date;
}

export interface ErrorFilter {
  /** The whole `code`. */
  readonly code?: string;
  /** A part of the `message`. Capitals count. */
  readonly text?: string;
}

/** Members of an object in JSON. */
export interface Members {
  readonly [name: string]: string | number | boolean | null | Members;
}

/** Which jobs come first, by the order of their enqueues. */
export type JobOrder = 'newest' | 'oldest';

/** A part of the jobs that a filter means. */
export interface Page {
  /** Default: `newest`. A number of jobs has no order, so `count` ignores it. */
  readonly order?: JobOrder;
  /** How many jobs are wanted, 1 to 1,000. `count` takes any number. */
  readonly limit: number;
  /** Only jobs with lower ids are meant: the `next` of the page before this one. Null: all. */
  readonly before: JobId | null;
  /** Only jobs with higher ids are meant: with `oldest`, the `next` of the page before this one. Default: all. */
  readonly after?: JobId | null;
  /**
   * How many rows may be read, 1 or more, where no index has what the filter means. The page ends there, whatever it
   * has found. Default: as many as it takes.
   */
  readonly look?: number;
}

/** A job without what it carries, in the state that its row has. Milliseconds are whole and by the database's clock. */
export interface JobEntry extends Pick<Job, 'id' | 'publicId' | 'queue' | 'status'> {
  /** How long ago it was enqueued, in milliseconds. */
  readonly createdMs: number;
  /** How long ago it was settled, in milliseconds. Null while it is outstanding. */
  readonly settledMs: number | null;
}

/** A value as a list, or the list that it is. Undefined stays undefined. */
export function listed<Value extends string>(
  value: Value | readonly Value[] | undefined,
): readonly Value[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
