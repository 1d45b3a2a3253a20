import { CancelledError } from '../errors.js';
import type { Job } from '../job/job.js';

/** A run that is going on in this process: what may stop it, and which of its jobs were cancelled. */
export class LiveRun {
  readonly #abort = new AbortController();
  readonly #open: ReadonlySet<string>;
  readonly cancelled = new Set<string>();

  constructor(
    readonly processId: string,
    jobs: readonly Job[],
    /** Whether its claim needs the worker's session. */
    readonly leased: boolean,
  ) {
    this.#open = new Set(jobs.map(({ publicId }) => publicId));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Tells the handler to stop. The first reason counts. */
  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Notes that a client cancelled a job. The handler is told when none of the run's jobs is wanted any more. */
  cancel(publicId: string): void {
    if (!this.#open.has(publicId)) return;
    this.cancelled.add(publicId);
    if (this.cancelled.size === this.#open.size) this.stop(new CancelledError(publicId));
  }
}
