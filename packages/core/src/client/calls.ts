import { hostname } from 'node:os';
import type { SlotHolder } from '../admission/slots.js';
import type { Acting, Note } from '../audit/acting.js';
import type { Clock } from '../clock.js';
import type { CallersTx } from '../driver/adapted-transaction.js';
import { despiteDeadlocks } from '../driver/despite-deadlocks.js';
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

/** What all calls of a program have, in whosever name they are made. */
interface CallsParts<Tx> {
  readonly driver: Driver<Tx>;
  readonly here: LocalWorkers;
  readonly shared: SharedStore;
  readonly settled: SettledJobs;
  readonly declared: Declared;
  readonly clock: Clock;
  readonly held: Set<SlotHolder>;
  isClosed: boolean;
}

/** What the calls of a program have in common: the driver, the statements that they share, and their end. */
export class Calls<Tx> implements Acting<Tx> {
  readonly #parts: CallsParts<Tx>;
  /** In whose name the calls are made, which are on record then. Null: in the program's own. */
  readonly operator: string | null;
  /** Those who wait for the end of jobs. */
  readonly settled: SettledJobs;
  readonly clock: Clock;
  /** What the program says of all jobs. */
  readonly declared: Declared;
  /** The slots that this process has, without those of jobs. */
  readonly held: Set<SlotHolder>;

  constructor(parts: CallsParts<Tx>, operator: string | null = null) {
    this.#parts = parts;
    this.operator = operator;
    this.settled = parts.settled;
    this.clock = parts.clock;
    this.declared = parts.declared;
    this.held = parts.held;
  }

  static of<Tx>(
    driver: Driver<Tx>,
    here: LocalWorkers,
    declared: Declared,
    log: Logger,
    clock: Clock,
  ): Calls<Tx> {
    const shared = new SharedStore(driver, here, log, clock);
    const settled = new SettledJobs({ shared, here, clock });
    return new Calls({ driver, here, shared, settled, declared, clock, held: new Set(), isClosed: false });
  }

  /** The same calls, in an operator's name. */
  as(operator: string): Calls<Tx> {
    return new Calls(this.#parts, operator);
  }

  get by(): string {
    return this.operator ?? hostname();
  }

  /** @throws ClosedError */
  get driver(): Driver<Tx> {
    this.checkOpen();
    return this.#parts.driver;
  }

  /** @throws ClosedError */
  get shared(): SharedStore {
    this.checkOpen();
    return this.#parts.shared;
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

  async acting<Answer>(
    call: CallOptions<Tx>,
    work: (tx: CallersTx<Tx> | undefined, note: Note) => Promise<Answer>,
  ): Promise<Answer> {
    const { operator } = this;
    if (operator === null) return this.within(call, (tx) => work(tx, undefined));
    const noted = (tx: CallersTx<Tx>): Promise<Answer> =>
      work(tx, async (action) => {
        await this.driver.join(tx).audit.note({ by: operator, ...action });
      });
    return this.within(call, (tx) => (tx === undefined ? this.transaction(noted) : noted(tx)));
  }

  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
    return despiteDeadlocks(() => this.driver.transaction(work));
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
      await this.#parts.here.stop();
      await Promise.all([...this.held].map((holder) => holder.release()));
      await this.#parts.shared.flush();
    } finally {
      this.#parts.isClosed = true;
      this.settled.close();
      await this.#parts.driver.close();
    }
  }

  /** @throws ClosedError */
  checkOpen(): void {
    if (this.#parts.isClosed) throw new ClosedError();
  }
}
