import { inCleanContext } from '../../clean-context.js';
import { CancelledError, WorkerStoppedError } from '../../errors.js';
import type { Job, JobId } from '../../job/job.js';

const NONE: ReadonlySet<string> = new Set();
const NOBODY: readonly LiveRun[] = [];

/** A run that is going on in this process: what may stop it, and which of its jobs were cancelled. */
export class LiveRun {
  readonly jobs: readonly JobId[];
  /** The runs that share its transaction, itself among them. Empty until the runs are enlisted. */
  together: readonly LiveRun[] = NOBODY;
  readonly #rows: readonly Job[];
  #redrives: ReadonlyMap<string, number> | null = null;
  #cancelled: Set<string> | null = null;
  #stopped: Error | null = null;
  #isOutOfTime = false;
  /** Made at the first read of `signal`: it is expensive, and most handlers never read it. */
  #abort: AbortController | null = null;
  #onStop = (): void => {};

  constructor(
    readonly runId: string,
    jobs: readonly Job[],
    /** Whether its claim needs the worker's session. */
    readonly leased: boolean,
  ) {
    this.#rows = jobs;
    this.jobs = jobs.map(({ id }) => id);
  }

  get lane(): Pick<Job, 'queue' | 'kind'> | undefined {
    return this.#rows[0];
  }

  /** How often each of its jobs was redriven, by its public id. Made at the first read, as most runs never need it. */
  get redrives(): ReadonlyMap<string, number> {
    this.#redrives ??= new Map(this.#rows.map(({ publicId, redrives }) => [publicId, redrives]));
    return this.#redrives;
  }

  get cancelled(): ReadonlySet<string> {
    return this.#cancelled ?? NONE;
  }

  get stopped(): Error | null {
    return this.#stopped;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#stopped !== null) this.#abort.abort(this.#stopped);
    return this.#abort.signal;
  }

  /** Whether its worker stops and has no time left, even if the run was stopped for another reason before. */
  get isOutOfTime(): boolean {
    return this.#isOutOfTime;
  }

  /** Calls back when the run is stopped, or at once if it has been. */
  whenStopped(callback: () => void): void {
    this.#onStop = callback;
    if (this.#stopped !== null) callback();
  }

  /** Stops the run, and aborts the handler's signal. The first reason counts. */
  stop(reason: Error): void {
    this.#isOutOfTime ||= reason instanceof WorkerStoppedError;
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    if (this.#abort !== null) inCleanContext(() => this.#abort?.abort(reason));
    this.#onStop();
  }

  /**
   * Notes that a client cancelled a job. Stops the run once all of its jobs are cancelled.
   *
   * @param redrives How often the job had been redriven at the cancellation, if known. A job that was redriven since is
   * not cancelled.
   */
  cancel(publicId: string, redrives = this.redrives.get(publicId)): void {
    if (redrives === undefined || redrives !== this.redrives.get(publicId)) return;
    this.#cancelled ??= new Set();
    this.#cancelled.add(publicId);
    if (this.#cancelled.size === this.redrives.size) this.stop(new CancelledError(publicId));
  }
}
