import { inCleanContext } from '../../clean-context.js';
import type { CaptureCheck } from '../../driver/capture-store.js';
import type { Lane } from '../../driver/lane.js';
import { InvalidInputError } from '../../errors.js';
import type { SettlingEvent } from '../../job/lifecycle.js';
import type { Logger } from '../../logger.js';
import { shown } from '../../shown.js';
import { attempt } from '../../thenable.js';
import type { RunInfo } from '../run/run-info.js';

/** A run, how its jobs ended by public id, and how long it took in milliseconds. */
export type SettledRun = [run: RunInfo, endings: ReadonlyMap<string, SettlingEvent>, tookMs: number];

/** Due jobs that no live worker serves. */
export interface UnservedJobs extends Lane {
  /** How many there are among the first 100 of their queue. */
  readonly jobs: number;
  /** How long the job whose time came first has been due, in milliseconds. */
  readonly oldestDueMs: number;
  /** The queues of live workers that serve the kind. */
  readonly servedIn: readonly string[];
}

/**
 * A worker's events. Listeners are called synchronously, each in an async context of its own, and none is
 * awaited. An error in a listener is logged, also one that its promise is rejected with.
 */
export interface WorkerEvents {
  /** The worker has subscribed and begins to look for work. */
  start: [];
  /**
   * A run begins. In a batch, this comes for all runs at once, also for a run that does not get its turn and is
   * `released`.
   */
  run: [run: RunInfo];
  /**
   * A run's jobs were settled and committed. `endings` has the ending of each job by public id, including jobs to be
   * retried and cancelled jobs.
   */
  settled: SettledRun;
  /** Jobs of a run are `complete`. Comes after `settled`, and `endings` has these jobs alone. */
  completed: SettledRun;
  /**
   * Jobs of a run ended as `error`. Comes after `settled`, and `endings` has these jobs alone. A job to be retried has
   * not failed: its ending in `settled` is `retry`.
   */
  failed: SettledRun;
  /**
   * A run's jobs went back to the queue unchanged. Reasons:
   *
   * - the worker stops
   * - the run's batch had gone on for 50 ms, or is repeated one by one after a crash
   * - an earlier job of the key did not complete
   * - for a lease, the connection or the worker's session was lost
   */
  released: [run: RunInfo];
  /** A held run has lasted half of the server's limit for its transaction, `limitMs`. At most once for each run. */
  long: [run: RunInfo, heldMs: number, limitMs: number];
  /**
   * A handler did not end although its signal was aborted. The handler loses its transaction, its job goes on without
   * the handler, and its code runs on.
   */
  leftBehind: [run: RunInfo];
  /**
   * A run lost its claim, or could not be settled. Nothing of it was written, unless only the answer to its commit was
   * lost.
   */
  lost: [run: RunInfo, error: unknown];
  /** Another transaction holds the job's entity now. */
  blocked: [job: { readonly publicId: string; readonly queue: string; readonly key: string | null }];
  /**
   * Due jobs of a queue and kind are served by no live worker. An idle worker looks once a minute, and tells of the same
   * jobs once an hour. The jobs may be of any queue.
   */
  unserved: [jobs: UnservedJobs];
  /**
   * The triggers of a capture are not as the program needs them, so changes of its table may not become jobs: the table
   * was swapped, say. A worker that serves the capture's kind looks once a minute, and tells of the same problems once an
   * hour.
   */
  uncaptured: [capture: CaptureCheck];
  /** The worker is idle: it has looked at all jobs that could be claimed. */
  idle: [];
  /** Something other than a handler failed. The worker goes on by itself. */
  fault: [error: unknown];
  /** The worker has stopped. */
  stop: [];
}

type Listener<Name extends keyof WorkerEvents> = (...given: WorkerEvents[Name]) => void;

/** Calls listeners. A listener that throws is logged, and harms neither the others nor the worker. */
export class WorkerEmitter {
  readonly #log: Logger;
  readonly #listeners: { readonly [Name in keyof WorkerEvents]: Set<Listener<Name>> } = {
    start: new Set(),
    run: new Set(),
    settled: new Set(),
    completed: new Set(),
    failed: new Set(),
    released: new Set(),
    long: new Set(),
    leftBehind: new Set(),
    lost: new Set(),
    blocked: new Set(),
    unserved: new Set(),
    uncaptured: new Set(),
    idle: new Set(),
    fault: new Set(),
    stop: new Set(),
  };

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws InvalidInputError */
  on<Name extends keyof WorkerEvents>(name: Name, listener: Listener<Name>): void {
    if (typeof name !== 'string' || !Object.hasOwn(this.#listeners, name))
      throw new InvalidInputError(
        `A worker has no event ${shown(name)}: ${Object.keys(this.#listeners).join(', ')}.`,
      );
    this.#listeners[name].add(listener);
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: Listener<Name>): void {
    this.#listeners[name]?.delete(listener);
  }

  /** Whether an event has listeners. If not, its arguments need not be made. */
  hasListeners(name: keyof WorkerEvents): boolean {
    return this.#listeners[name].size > 0;
  }

  emit<Name extends keyof WorkerEvents>(name: Name, ...given: WorkerEvents[Name]): void {
    for (const listener of this.#listeners[name])
      attempt(
        () => inCleanContext(() => listener(...given)),
        (error) => this.#log.error({ err: error, event: name }, 'a listener threw'),
      );
  }
}
