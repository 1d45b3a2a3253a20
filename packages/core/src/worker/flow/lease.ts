import type { ClaimSession, Settlement } from '../../driver/claim-session.js';
import { DriverError } from '../../driver/driver-error.js';
import type { RunRef } from '../../driver/run-record.js';
import type { JobId } from '../../job/job.js';
import type { RunWrites } from '../run/run-handle.js';

/**
 * The transaction that settles a leased claim. Begins at its first use, and locks the jobs that this run still has. If
 * its connection is lost, `undo` lets the next use take another one.
 */
export class Lease<Tx> implements RunWrites<Tx> {
  /** Whether the lease is known to be committed. */
  readonly isCommitted: boolean;
  readonly session: ClaimSession<Tx>;
  readonly #run: RunRef;
  readonly #hasLimits: boolean;
  readonly #lost = new AbortController();
  #locked: Promise<void> | null = null;
  #used = false;
  #settledBefore = false;

  /** @param of `hasLimits`: whether the run has slots of limits. */
  constructor(
    session: ClaimSession<Tx>,
    run: RunRef,
    of: { readonly isCommitted: boolean; readonly hasLimits: boolean },
  ) {
    this.session = session;
    this.#run = run;
    this.#hasLimits = of.hasLimits;
    this.isCommitted = of.isCommitted;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the handler has written, or may have. */
  get used(): boolean {
    return this.#used;
  }

  /** Whether an earlier attempt has settled the jobs: its commit succeeded, but the answer was lost. */
  get settledBefore(): boolean {
    return this.#settledBefore;
  }

  async handle(): Promise<Tx> {
    this.#used = true;
    await this.#lock();
    return this.session.handle;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    await this.#lock();
    return this.#settledBefore ? settlements.map(({ id }) => id) : this.session.settle(settlements);
  }

  async commit(): Promise<void> {
    await this.#lock();
    if (this.#hasLimits && !this.#settledBefore) await this.session.leaveLimits(this.#run.runId);
    await this.session.commit();
  }

  async undo(): Promise<void> {
    await this.rollback();
    if (this.lost.aborted) throw this.lost.reason;
  }

  async rollback(): Promise<void> {
    const locked = this.#locked;
    this.#locked = null;
    if (locked === null) return;
    await locked.catch(() => {});
    await this.session.rollback();
  }

  #lock(): Promise<void> {
    this.#locked ??= this.#lockJobs();
    return this.#locked;
  }

  async #lockJobs(): Promise<void> {
    const { runId, jobs } = this.#run;
    const found = await this.session.lockLeased(runId, jobs, this.isCommitted);
    const states = [...found.values()];
    const kept = states.filter((state) => state === 'in-progress').length;
    if (states.length === jobs.length && (kept === 0 || kept === states.length)) {
      this.#settledBefore = kept === 0;
      return;
    }
    this.#lost.abort(
      new DriverError(
        'ConnectionLost',
        'The lease was lost: the worker was taken for dead, and its jobs were put back.',
      ),
    );
    throw this.lost.reason;
  }
}
