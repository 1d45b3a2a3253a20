import type { JobId } from '../job/job.js';
import type { State } from '../job/lifecycle.js';

/** A part of the history. */
export interface Stretch {
  /** The id before the stretch, itself not included. Null: begins at the oldest job, or at the newest. */
  readonly beyond: JobId | null;
  readonly newestFirst: boolean;
  /** How many jobs, 1 to 1,000. */
  readonly limit: number;
}

/** The facts that decide how long a job is kept. Milliseconds are whole and by the database's clock. */
export interface HistoryEntry {
  readonly id: JobId;
  readonly queue: string;
  readonly status: State;
  /** How long ago it was enqueued, in milliseconds. */
  readonly createdMs: number;
  /** How long ago it was settled, in milliseconds. Null while it is outstanding. */
  readonly settledMs: number | null;
}
