import type { Enqueued, JobId, JobView, NewJob } from '../job/job.js';
import type { ClientEvent, State } from '../job/lifecycle.js';
import type { WorkerView } from './anchor.js';
import type { WakeUp } from './wake-up.js';

/** Verbs that stand alone: on the driver's own pool each commits by itself, joined they are part of the caller's transaction. */
export interface Store {
  /**
   * Inserts jobs, in order. Names have up to 128 characters and keys up to 512, compared to the byte. A job whose unique key is taken
   * is not inserted: its outcome is `duplicate`, with the public id of the job that has the key. Never waits for a running
   * handler. If any is inserted, wakes workers as `notify` does, in the same message where the database can. On the pool,
   * what a deadlock has ended is done again.
   */
  enqueue(jobs: readonly NewJob[], wakeUps?: readonly WakeUp[]): Promise<readonly Enqueued[]>;

  /** Reads without locks, newest first. */
  list(filter: JobFilter, page: Page): Promise<JobPage>;

  /** Counts without locks, by state. */
  count(filter: JobFilter): Promise<Readonly<Record<State, number>>>;

  /**
   * Lets a client's event happen to a job, unless somebody holds it, and says what it met. A redrive gives back all attempts,
   * also those that uncounted crashes have used up.
   *
   * @param redrives Means only the job that was redriven so often. For a job that was redriven since, the event is illegal.
   */
  move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved>;

  /** Wakes workers: at once on the pool; when, and only if, the transaction commits where joined. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;

  /** The workers that are alive, and those that stopped within the last hour. */
  workers(): Promise<readonly WorkerView[]>;
}

export interface JobFilter {
  /** In small letters, as rows have it. */
  readonly publicId?: string;
  readonly queue?: string;
  readonly kind?: string;
  readonly key?: string;
  /**
   * As a `JobView` has it: a job whose newest run has not ended, and is of a live worker, is `in-progress`, whatever its row says. To find
   * these must not take longer the more jobs wait.
   */
  readonly status?: State;
}

export interface Page {
  /** 1 to 1,000. */
  readonly limit: number;
  /** Where the page before this one ended. */
  readonly before: JobId | null;
}

export interface JobPage {
  readonly jobs: readonly JobView[];
  /** Where to go on, or null at the end. */
  readonly next: JobId | null;
}

/** What `move` met: it was done, somebody holds the job, the event does not start from the job's state, or there is no such job. */
export type Moved =
  | { readonly outcome: 'moved' }
  | {
      readonly outcome: 'running';
      /** How often the job was redriven. */
      readonly redrives: number;
    }
  | { readonly outcome: 'illegal'; readonly status: State }
  | { readonly outcome: 'missing' };
