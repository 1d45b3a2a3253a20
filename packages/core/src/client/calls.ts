import type { SlotHolder } from '../admission/slots.js';
import type { Clock } from '../clock.js';
import type { CallersTx } from '../driver/adapted-transaction.js';
import type { Driver, Joined } from '../driver/driver.js';
import { ClosedError } from '../errors.js';
import type { Declared } from '../handler/defaults.js';
import { awaitedByRun } from '../handler/run-of-handle.js';
import type { Logger } from '../logger.js';
import { type CallOptions, txOf } from './call-options.js';
import { type ClientStore, joinedStore } from './client-store.js';
import type { LocalWorkers } from './local-workers.js';
import { SettledJobs } from './settled-jobs.js';
import { SharedStore } from './shared-store.js';

/** What the calls of a program have in common: the driver, the statements that they share, and their end. */
export class Calls<Tx> {
  readonly #driver: Driver<Tx>;
  readonly #here: LocalWorkers;
  readonly #shared: SharedStore;
  #isClosed = false;
  /** Those who wait for the end of jobs. */
  readonly settled: SettledJobs;
  readonly clock: Clock;
  /** What the program says of all jobs. */
  readonly declared: Declared;
  /** The slots that this process has, without those of jobs. */
  readonly held = new Set<SlotHolder>();

  constructor(driver: Driver<Tx>, here: LocalWorkers, declared: Declared, log: Logger, clock: Clock) {
    this.#driver = driver;
    this.#here = here;
    this.#shared = new SharedStore(driver, here, log, clock);
    this.clock = clock;
    this.declared = declared;
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

  /** The driver's verbs, on its pool or in the caller's transaction. @throws ClosedError */
  on(tx: CallersTx<Tx> | undefined): Joined {
    return tx === undefined ? this.driver : this.driver.join(tx);
  }

  /** The same of jobs, where calls on the pool share statements. @throws ClosedError */
  store(tx: CallersTx<Tx> | undefined): ClientStore {
    return tx === undefined ? this.shared : joinedStore(this.on(tx));
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
