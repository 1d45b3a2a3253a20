import type { JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';

/** A part of the history. */
export interface Stretch {
  /** Where it begins, this id not included; null: at the oldest job, or at the newest. */
  readonly beyond: JobId | null;
  readonly newestFirst: boolean;
  /** How many jobs, 1 to 1,000. */
  readonly limit: number;
}

/** What decides how long a job is kept. Milliseconds are whole and by the database's clock. */
export interface HistoryEntry {
  readonly id: JobId;
  readonly queue: string;
  readonly status: State;
  /** How long ago it was enqueued, in milliseconds. */
  readonly createdMs: number;
  /** How long ago it was settled, in milliseconds; null while it is outstanding. */
  readonly settledMs: number | null;
}
