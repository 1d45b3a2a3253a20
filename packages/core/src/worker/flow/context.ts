import type { DependencyContainer } from 'tsyringe';
import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { Registry } from '../../handler/registry.js';
import type { Job } from '../../job/job.js';
import type { Logger } from '../../logger.js';
import type { Cancellations } from '../look/cancellations.js';
import type { Sweep } from '../look/sweep.js';
import type { RunRecords } from '../record/run-records.js';
import type { LiveRun } from '../run/live-run.js';
import type { RunInfo } from '../run/run-info.js';
import type { WorkerEmitter } from '../tell/events.js';
import type { BatchSizes } from './batch-sizes.js';

/** What the flow of one worker stands on. */
export interface Flow<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkerEmitter;
  readonly container: DependencyContainer | undefined;
  readonly workerId: string;
  readonly host: string;
  /** How long the server lets a held claim be, in milliseconds. */
  readonly idleLimitMs: number;
  /** Entities that this process has now: its other slots need not ask the server about them. */
  readonly taken: Set<string>;
  /** How many jobs a claim takes. */
  readonly sizes: BatchSizes<Tx>;
  readonly records: RunRecords;
  /** The runs going on in this process. */
  readonly live: Set<LiveRun>;
  readonly cancellations: Cancellations;
  /** Handlers that ignored their signals and have not ended yet. */
  readonly leftBehind: Set<RunInfo>;
  /** Kinds without a handler here, which have been logged. */
  readonly unknownKinds: Set<string>;
  /** Aborted when the worker stops: no further job is claimed. */
  readonly stopping: AbortSignal;
  /** Whether the worker's session is open: without it nothing is leased. */
  readonly anchored: () => boolean;
  /** Whether nothing can be found that no other slot looks for, or that no wake-up will tell of. */
  readonly answered: () => boolean;
  /** Called when a sweep has come to a job. */
  readonly looked: (pass: Sweep, job: Job) => void;
  /** Called when a run is about to begin: where one job was, more may be. */
  readonly claimed: () => void;
}
