import type { SlotHolder } from '../admission/slots.js';
import type { Clock } from '../clock.js';
import type { CallersTx } from '../driver/adapted-transaction.js';
import type { Driver, Joined } from '../driver/driver.js';
import type { WakeUp } from '../driver/wake-up.js';
import { ClosedError } from '../errors.js';
import { checkClear } from '../handler/codec.js';
import { awaitedByRun } from '../handler/run-of-handle.js';
import type { JobView } from '../job/job.js';
import type { Logger } from '../logger.js';
import { type CallOptions, txOf } from './call-options.js';
import type { LocalWorkers } from './local-workers.js';
import { SettledJobs } from './settled-jobs.js';
import { SharedStore, type SharedVerbs } from './shared-store.js';

/** What the calls of a program have in common: the driver, the statements that they share, and their end. */
export class Calls<Tx> {
  readonly #driver: Driver<Tx>;
  readonly #here: LocalWorkers;
  readonly #shared: SharedStore;
  #isClosed = false;
  /** Those who wait for the end of jobs. */
  readonly settled: SettledJobs;
  readonly clock: Clock;
  /** The slots that this process has, without those of jobs. */
  readonly held = new Set<SlotHolder>();

  constructor(driver: Driver<Tx>, here: LocalWorkers, log: Logger, clock: Clock) {
    this.#driver = driver;
    this.#here = here;
    this.#shared = new SharedStore(driver, here, log, clock);
    this.clock = clock;
    this.settled = new SettledJobs({
      states: (publicIds) => this.shared.states(publicIds),
      find: (publicId) => this.shared.find(publicId),
      here: (listener) => here.whenSettled(listener),
      clock,
    });
  }

  /** @throws ClosedError */
  get driver(): Driver<Tx> {
    this.checkOpen();
    return this.#driver;
  }

  /** @throws ClosedError */
  get shared(): SharedStore {
    this.checkOpen();
    return this.#shared;
  }

  /**
   * Makes a call with its transaction. Nothing is awaited before the call's first statement, so a caller who forgets to
   * await the call does not send the COMMIT before that statement.
   *
   * @throws ClosedError
   */
  async within<Answer>(
    call: CallOptions<Tx>,
    work: (tx: CallersTx<Tx> | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    this.checkOpen();
    const tx = txOf(call);
    return awaitedByRun(tx, work(tx));
  }

  /** The verbs on the caller's transaction, or those that calls share. @throws ClosedError */
  store(tx: CallersTx<Tx> | undefined): SharedVerbs {
    if (tx === undefined) return this.shared;
    const { jobs, workers } = this.join(tx);
    return {
      ...jobs,
      notify: (wakeUps) => workers.notify(wakeUps),
      async move(event, publicId) {
        const [moved] = await jobs.move(event, [publicId]);
        return moved ?? { outcome: 'missing' };
      },
    };
  }

  /** @throws ClosedError */
  join(tx: CallersTx<Tx>): Joined {
    return this.driver.join(tx);
  }

  /** @throws ClosedError */
  async find(publicId: string, tx?: CallersTx<Tx>): Promise<JobView | undefined> {
    if (tx === undefined) return this.shared.find(publicId);
    const { jobs } = await this.join(tx).jobs.list({ publicIds: [publicId] }, { limit: 1, before: null });
    return jobs[0];
  }

  /** @throws InvalidInputError if the job's payload is encoded; ClosedError */
  async checkClear(publicId: string, tx: CallersTx<Tx> | undefined): Promise<void> {
    const job = await this.find(publicId, tx);
    if (job !== undefined) checkClear(job);
  }

  /** With a caller's transaction, the workers are woken by its commit. @throws ClosedError */
  async wake(tx: CallersTx<Tx> | undefined, wakeUps: readonly WakeUp[]): Promise<void> {
    if (tx === undefined) await this.shared.wake(wakeUps);
    else await this.join(tx).workers.notify(wakeUps);
  }

  /**
   * Stops the workers, gives back the slots that were taken without a job, sends what is gathered, and refuses all later
   * calls.
   */
  async close(): Promise<void> {
    try {
      await this.#here.stop();
      await Promise.all([...this.held].map((holder) => holder.release()));
      await this.#shared.flush();
    } finally {
      this.#isClosed = true;
      this.settled.close();
      await this.#driver.close();
    }
  }

  /** @throws ClosedError */
  checkOpen(): void {
    if (this.#isClosed) throw new ClosedError();
  }
}
