import type { Driver, Rowlock } from '@rowlock/core';
import type { LaneStats, WorkerView } from '@rowlock/core/types';

/** What the checks look at. What several of them need is read once. */
export interface Subject {
  readonly rowlock: Rowlock<unknown>;
  readonly driver: Driver;
  readonly lanes: readonly LaneStats[];
  /** Those that are alive. */
  readonly workers: readonly WorkerView[];
}
