import type { Clock } from '../clock.js';
import type { Anchor } from '../driver/anchor.js';
import type { Settlement } from '../driver/claim-session.js';
import type { Driver } from '../driver/driver.js';
import type { Lanes, Survey } from '../driver/survey.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { Job } from '../job/job.js';
import type { Logger } from '../logger.js';
import type { SweepSource } from './look/sweep-source.js';
import type { WorkerEmitter } from './report/events.js';
import type { LiveRun } from './run/live-run.js';
import type { Alarm } from './time/alarm.js';

/**
 * One subject of a worker, beside the flow. It receives the worker's events and works beside the slots, so that no call
 * waits for it.
 */
export interface Part {
  /** Sweeps of its own. */
  readonly sweeps?: SweepSource;
  /** The worker is about to subscribe to wake-ups, and waits for this. Never rejects. */
  start?(): void | Promise<void>;
  /** A wake-up, of any subject. */
  wakeUp?(wakeUp: WakeUp): void;
  surveyed?(survey: Survey): void;
  /**
   * Comes with each survey, and where surveys are far apart every watch interval in between.
   *
   * @returns whether to watch again
   * @throws DriverError
   */
  watch?(): Promise<boolean>;
  /** These runs are about to begin, in one transaction. */
  began?(runs: readonly LiveRun[]): void;
  /** Such runs are over. */
  ended?(): void;
  /** A sweep has come to a job. */
  reached?(job: Job): void;
  /** The jobs of a run are settled, in this order, and visibly so. */
  settled?(jobs: readonly Job[], settlements: readonly Settlement[], tookMs: number): void;
  /** The worker has nothing to do. */
  idle?(): void;
  /** All runs are over. Resolves when nothing of this goes on any more. Never rejects. */
  stop?(): Promise<void>;
}

/** What a part may use of its worker. */
export interface PartContext extends Lanes {
  readonly driver: Driver;
  /** Whether a handler's jobs have limits or rates. */
  readonly hasLimits: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<WorkerEmitter, 'emit'>;
  readonly worker: string;
  readonly workerId: string;
  readonly anchor: Anchor;
  readonly live: ReadonlySet<LiveRun>;
  /** Rings when the worker is to look again. */
  readonly alarm: Pick<Alarm, 'within'>;
  /** Aborted when the worker stops, while its runs may still go on. */
  readonly stopping: AbortSignal;
  /** The longest time until the next look, in milliseconds. */
  readonly pollMs: number;
  /** How often to look at what others hold, in milliseconds. */
  readonly watchMs: number;
  readonly wake: () => void;
  /** Called with a fault that no slot waits for. */
  readonly onFault: (error: unknown) => void;
}

/** Makes the parts of one worker. Events come to them in their order, and they stop in the reverse one. */
export type MakeParts = (context: PartContext) => readonly Part[];
