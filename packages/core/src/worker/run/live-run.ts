import { CancelledError, WorkerStoppedError } from '../../errors.js';
import type { Job, JobId } from '../../job/job.js';

const NONE: ReadonlySet<string> = new Set();
const NOBODY: readonly LiveRun[] = [];

/** A run that is going on in this process: what may stop it, and which of its jobs were cancelled. */
export class LiveRun {
  readonly jobs: readonly JobId[];
  /** The runs that share its transaction, itself among them; none until they are known. */
  together: readonly LiveRun[] = NOBODY;
  readonly #rows: readonly Job[];
  #redrives: ReadonlyMap<string, number> | null = null;
  #cancelled: Set<string> | null = null;
  #stopped: Error | null = null;
  #isOutOfTime = false;
  /** Made when somebody asks for its signal: most handlers never do, and it is dear. */
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

  /** How often each of its jobs was redriven, by its public id. Made when it is asked for, as what follows: of most runs nobody asks. */
  get redrives(): ReadonlyMap<string, number> {
    this.#redrives ??= new Map(this.#rows.map(({ publicId, redrives }) => [publicId, redrives]));
    return this.#redrives;
  }

  /** Its jobs that a client has cancelled, by their public ids. */
  get cancelled(): ReadonlySet<string> {
    return this.#cancelled ?? NONE;
  }

  /** Why the handler is to stop, or null. */
  get stopped(): Error | null {
    return this.#stopped;
  }

  /** The same for the handler. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#stopped !== null) this.#abort.abort(this.#stopped);
    return this.#abort.signal;
  }

  /** Whether its worker stops, and has no time left for it, whatever it was told to stop for before. */
  get isOutOfTime(): boolean {
    return this.#isOutOfTime;
  }

  /** Calls back when the run is told to stop, or at once if it has been. */
  whenStopped(callback: () => void): void {
    this.#onStop = callback;
    if (this.#stopped !== null) callback();
  }

  /** Tells the handler to stop. The first reason counts. */
  stop(reason: Error): void {
    this.#isOutOfTime ||= reason instanceof WorkerStoppedError;
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#abort?.abort(reason);
    this.#onStop();
  }

  /**
   * Notes that a client cancelled a job. The handler is told when none of the run's jobs is wanted any more.
   *
   * @param redrives How often it was redriven then, if that is known: one that was redriven since is not meant.
   */
  cancel(publicId: string, redrives = this.redrives.get(publicId)): void {
    if (redrives === undefined || redrives !== this.redrives.get(publicId)) return;
    this.#cancelled ??= new Set();
    this.#cancelled.add(publicId);
    if (this.#cancelled.size === this.redrives.size) this.stop(new CancelledError(publicId));
  }
}
