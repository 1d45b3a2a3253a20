import { InvalidInputError } from '../../errors.js';
import type { SettlingEvent } from '../../job/lifecycle.js';
import type { Logger } from '../../logger.js';
import type { RunInfo } from '../run/run-info.js';

/** A run, how its jobs ended by public id, and how long it took in milliseconds. */
export type SettledRun = [run: RunInfo, endings: ReadonlyMap<string, SettlingEvent>, tookMs: number];

/** What a worker tells while it works. Listeners are called synchronously, and an error in one is logged. */
export interface WorkerEvents {
  /** The worker has subscribed and begins to look for work. */
  start: [];
  /**
   * A run begins. Of a batch this comes for all its runs at once, also for those whose turn does not come: they are `released`.
   */
  run: [run: RunInfo];
  /**
   * A run's jobs were settled and committed. `endings` says of each public id how: also of those that are to be tried again, or
   * were cancelled.
   */
  settled: SettledRun;
  /** Jobs of a run are `complete`. It comes after `settled`, and `endings` has these jobs alone. */
  completed: SettledRun;
  /**
   * Jobs of a run ended as `error`. It comes after `settled`, and `endings` has these jobs alone. A job that is to be tried again has
   * not failed: `settled` says `retry` of it.
   */
  failed: SettledRun;
  /**
   * A run's jobs went back to the queue as they were. The worker stops; or its batch had gone on for 50 ms, is repeated one by one after a
   * crash, or had an earlier job of the key that did not complete; or the connection, or the worker's session, was lost about a lease.
   */
  released: [run: RunInfo];
  /** A held run has lasted half of what the server lets its transaction last, `limitMs`. At most once for each run. */
  long: [run: RunInfo, heldMs: number, limitMs: number];
  /**
   * A handler did not end though its signal had been aborted: its transaction was taken from it, its job goes on without it, and
   * its code runs on.
   */
  leftBehind: [run: RunInfo];
  /** A run lost its claim, or could not be settled: nothing of it was written, unless only the answer was lost that says so. */
  lost: [run: RunInfo, error: unknown];
  /** A job's entity is somebody else's at the moment. */
  blocked: [job: { readonly publicId: string; readonly queue: string; readonly key: string | null }];
  /** Nothing to do is left: the worker has looked at all that could be claimed. */
  idle: [];
  /** Something failed that is not a handler's affair; the worker goes on by itself. */
  fault: [error: unknown];
  /** The worker has stopped. */
  stop: [];
}

type Listener<Name extends keyof WorkerEvents> = (...given: WorkerEvents[Name]) => void;

/** Tells listeners. One that throws is logged, and harms neither the others nor the worker. */
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
    idle: new Set(),
    fault: new Set(),
    stop: new Set(),
  };

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws InvalidInputError */
  on<Name extends keyof WorkerEvents>(name: Name, listener: Listener<Name>): void {
    if (!Object.hasOwn(this.#listeners, name))
      throw new InvalidInputError(
        `A worker has no event ${JSON.stringify(name)}: ${Object.keys(this.#listeners).join(', ')}.`,
      );
    this.#listeners[name].add(listener);
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: Listener<Name>): void {
    this.#listeners[name]?.delete(listener);
  }

  /** Whether anybody listens, and what is told has to be put together. */
  hears(name: keyof WorkerEvents): boolean {
    return this.#listeners[name].size > 0;
  }

  emit<Name extends keyof WorkerEvents>(name: Name, ...given: WorkerEvents[Name]): void {
    for (const listener of this.#listeners[name]) {
      try {
        listener(...given);
      } catch (error) {
        this.#log.error({ err: error, event: name }, 'a listener threw');
      }
    }
  }
}
