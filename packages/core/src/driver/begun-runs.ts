import type { RunView } from './run-view.js';
import type { NamedJob } from './situation.js';

/** A time in which runs began. */
export interface BegunRunsQuestion {
  readonly from: Date;
  /** Not included. Null: until now. */
  readonly before: Date | null;
  /** The most runs, the newest ones. */
  readonly limit: number;
}

/** A run, and one of its jobs. */
export interface BegunRun extends RunView, NamedJob {
  readonly queue: string;
  readonly key: string | null;
}
