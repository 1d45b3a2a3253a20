import type {
  ClaimSession,
  ClaimSessionOptions,
  RunTransaction,
  Settlement,
} from '../../driver/claim-session.js';
import type { Driver } from '../../driver/driver.js';
import { DriverError } from '../../driver/driver-error.js';
import type { JobId } from '../../job/job.js';

/**
 * What settles a leased claim: a transaction that begins when it is first needed, by locking the jobs, if they are still
 * this run's. Its connection may be lost and, after `undo`, another be taken.
 */
export class Lease<Tx> implements RunTransaction<Tx> {
  readonly handle: Tx;
  /** Whether it is known to be committed. */
  readonly isCommitted: boolean;
  readonly #begin: () => Promise<ClaimSession<Tx>>;
  readonly #runId: string;
  readonly #jobs: readonly JobId[];
  readonly #lost = new AbortController();
  #tx: Promise<ClaimSession<Tx>> | null = null;
  #open = true;
  #used = false;
  #settledBefore = false;

  constructor(
    driver: Pick<Driver<Tx>, 'begin' | 'deferred'>,
    options: ClaimSessionOptions<Tx>,
    runId: string,
    jobs: readonly JobId[],
    isCommitted: boolean,
  ) {
    this.#begin = () => driver.begin(options);
    this.#runId = runId;
    this.#jobs = jobs;
    this.isCommitted = isCommitted;
    this.handle = driver.deferred(() => this.#use());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get used(): boolean {
    return this.#used;
  }

  /** Whether the jobs were settled by an earlier attempt, whose commit was done though its answer was lost. */
  get settledBefore(): boolean {
    return this.#settledBefore;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly JobId[]> {
    this.#open = false;
    const tx = await this.#take();
    return this.#settledBefore ? settlements.map(({ id }) => id) : tx.settle(settlements);
  }

  async undo(): Promise<void> {
    await this.rollback();
    if (this.lost.aborted) throw this.lost.reason;
  }

  async commit(): Promise<void> {
    const tx = await this.#take();
    await tx.commit();
  }

  async rollback(): Promise<void> {
    this.#open = false;
    const tx = await this.#tx?.catch(() => null);
    this.#tx = null;
    await tx?.rollback();
  }

  async #use(): Promise<Tx> {
    if (!this.#open) {
      throw new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
    }
    this.#used = true;
    return (await this.#take()).handle;
  }

  #take(): Promise<ClaimSession<Tx>> {
    this.#tx ??= this.#lock();
    return this.#tx;
  }

  async #lock(): Promise<ClaimSession<Tx>> {
    const tx = await this.#begin();
    try {
      const states = [...(await tx.lockLeased(this.#runId, this.#jobs, this.isCommitted)).values()];
      const kept = states.filter((state) => state === 'in-progress').length;
      if (states.length === this.#jobs.length && (kept === 0 || kept === states.length)) {
        this.#settledBefore = kept === 0;
        return tx;
      }
    } catch (error) {
      await tx.rollback();
      throw error;
    }
    await tx.rollback();
    this.#lost.abort(
      new DriverError(
        'ConnectionLost',
        'The lease was lost: the worker was taken for dead, and its jobs were put back.',
      ),
    );
    throw this.lost.reason;
  }
}
