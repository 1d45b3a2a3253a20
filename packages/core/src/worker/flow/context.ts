import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Registry } from '../../handler/registry.js';
import type { Logger } from '../../logger.js';
import type { Parts } from '../parts.js';
import type { RunRecords } from '../record/run-records.js';
import type { RefusedJobs } from '../refused-jobs.js';
import type { WorkerEmitter } from '../report/events.js';
import type { Unsettled } from '../report/unsettled.js';
import type { CallParts } from '../run/context.js';
import type { LiveRun } from '../run/live-run.js';
import type { RunInfo } from '../run/run-info.js';
import type { BatchSizes } from './batch-sizes.js';

/** The parts that all slots of one worker share. */
export interface Flow<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkerEmitter;
  readonly workerId: string;
  readonly host: string;
  readonly calls: CallParts<Tx>;
  /** Entities that this process has now. Other slots of the process need no query for such an entity. */
  readonly taken: Set<string>;
  readonly sizes: BatchSizes<Tx>;
  readonly records: RunRecords;
  readonly live: Set<LiveRun>;
  readonly parts: Pick<Parts, 'began' | 'ended' | 'reached' | 'settled'>;
  /**
   * What has been logged, and is not logged each time: kinds without a handler here, runs whose handlers have ignored
   * their signals and not ended yet, leases that cannot be settled, and jobs whose settlement the database has refused, which
   * are passed over for a pause.
   */
  readonly reported: {
    readonly unknownKinds: Set<string>;
    readonly leftBehind: Set<RunInfo>;
    readonly unsettled: Unsettled;
    readonly refused: RefusedJobs;
  };
  /** Aborted when the worker stops. Then no further job is claimed. */
  readonly stopping: AbortSignal;
  /** Whether the worker's session is open. Without a session no job is leased. */
  readonly anchored: () => boolean;
  /** Whether other slots, or wake-ups still to come, cover everything that a slot could find. */
  readonly answered: () => boolean;
  /** Called when a run begins: more jobs may be due. */
  readonly claimed: () => void;
}
