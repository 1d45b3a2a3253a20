import type { DependencyContainer } from 'tsyringe';
import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Registry } from '../../handler/registry.js';
import type { Job } from '../../job/job.js';
import type { Logger } from '../../logger.js';
import type { AroundRun } from '../../plugin/around-run.js';
import type { Cancellations } from '../look/cancellations.js';
import type { Followers } from '../look/followers.js';
import type { RatedStarts } from '../look/rated-starts.js';
import type { Sweep } from '../look/sweep.js';
import type { RunRecords } from '../record/run-records.js';
import type { Enqueues } from '../run/context.js';
import type { LiveRun } from '../run/live-run.js';
import type { RunInfo } from '../run/run-info.js';
import type { WorkerEmitter } from '../tell/events.js';
import type { Statistics } from '../tell/statistics.js';
import type { BatchSizes } from './batch-sizes.js';

/** The parts that all slots of one worker share. */
export interface Flow<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  /** Enqueues for handlers. */
  readonly client: Enqueues<Tx>;
  /** The middleware around runs. Undefined if no plugin has any. */
  readonly around: AroundRun<Tx> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkerEmitter;
  readonly container: DependencyContainer | undefined;
  readonly workerId: string;
  readonly host: string;
  /** How long the server lets a held claim last, in milliseconds. */
  readonly idleLimitMs: number;
  /** Entities that this process has now. Other slots of the process need no query for such an entity. */
  readonly taken: Set<string>;
  /** How many jobs a claim takes. */
  readonly sizes: BatchSizes<Tx>;
  readonly records: RunRecords;
  /** The starts of rates. */
  readonly starts: RatedStarts;
  /** The runs going on in this process. */
  readonly live: Set<LiveRun>;
  readonly cancellations: Cancellations;
  readonly statistics: Statistics;
  readonly followers: Followers;
  /** Runs whose handlers ignored their signals and have not ended yet. */
  readonly leftBehind: Set<RunInfo>;
  /** The kinds whose jobs captures write. */
  readonly captured: ReadonlySet<string>;
  /** Kinds without a handler here that have been logged. */
  readonly unknownKinds: Set<string>;
  /** Aborted when the worker stops. Then no further job is claimed. */
  readonly stopping: AbortSignal;
  /** Whether the worker's session is open. Without a session no job is leased. */
  readonly anchored: () => boolean;
  /** Whether other slots, or wake-ups still to come, cover everything that a slot could find. */
  readonly answered: () => boolean;
  /** Called when a sweep has come to a job. */
  readonly looked: (pass: Sweep, job: Job) => void;
  /** Called when a run begins: more jobs may be due. */
  readonly claimed: () => void;
}
