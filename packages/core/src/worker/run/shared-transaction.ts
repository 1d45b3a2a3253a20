import { setImmediate } from 'node:timers/promises';
import type { ClaimSession, RunTransaction } from '../../driver/claim-session.js';
import type { Driver } from '../../driver/driver.js';
import { DriverError } from '../../driver/driver-error.js';
import { Mutex } from '../time/mutex.js';

/** What one run needs of the transaction that it is in. */
export type RunPart<Tx> = Pick<RunTransaction<Tx>, 'lost' | 'handle' | 'used' | 'undo'> & {
  /** The run has ended, and what it wrote stays. Rejects when it cannot; then it is to be undone. Undefined where it has asked for nothing. */
  keep(): Promise<void> | undefined;
};

/**
 * Lets several runs share a transaction. Savepoints lie one in the other, so the runs that write through it take turns: each has
 * it from its first statement until it has ended.
 */
export class SharedTransaction<Tx> {
  readonly #driver: Pick<Driver<Tx>, 'deferred'>;
  readonly #tx: ClaimSession<Tx>;
  readonly #flushed: () => Promise<void>;
  readonly #turn = new Mutex();
  /** Rejects when the transaction is lost. */
  readonly #lost: Promise<never>;

  /** @param flushed Of the runs' record: until then nothing is written. */
  constructor(driver: Pick<Driver<Tx>, 'deferred'>, tx: ClaimSession<Tx>, flushed: () => Promise<void>) {
    this.#driver = driver;
    this.#tx = tx;
    this.#flushed = flushed;
    this.#lost = new Promise((_, reject) => {
      tx.lost.addEventListener('abort', () => reject(tx.lost.reason), { once: true });
    });
    // Nobody may wait for it.
    this.#lost.catch(() => {});
  }

  part(): RunPart<Tx> {
    const turn = async (): Promise<() => void> => {
      await this.#flushed();
      // Whoever has it then may never give it back, and the others have nothing to wait for.
      return Promise.race([this.#lost, this.#turn.take()]);
    };
    return new Part(this.#driver, this.#tx, turn);
  }
}

class Part<Tx> implements RunPart<Tx> {
  readonly #driver: Pick<Driver<Tx>, 'deferred'>;
  readonly #tx: ClaimSession<Tx>;
  readonly #turn: () => Promise<() => void>;
  #handle: Tx | undefined;
  #waiting: Promise<() => void> | null = null;
  #giveBack: (() => void) | null = null;
  #open = true;

  constructor(driver: Pick<Driver<Tx>, 'deferred'>, tx: ClaimSession<Tx>, turn: () => Promise<() => void>) {
    this.#driver = driver;
    this.#tx = tx;
    this.#turn = turn;
  }

  get lost(): AbortSignal {
    return this.#tx.lost;
  }

  get handle(): Tx {
    this.#handle ??= this.#driver.deferred(() => this.#use());
    return this.#handle;
  }

  get used(): boolean {
    return this.#giveBack !== null;
  }

  keep(): Promise<void> | undefined {
    if (this.#waiting !== null) return this.#keep();
    this.#open = false;
    return undefined;
  }

  async #keep(): Promise<void> {
    await this.#asked();
    this.#open = false;
    if (!this.used) return;
    try {
      await this.#tx.renew();
    } catch (error) {
      if (this.lost.aborted) this.#end();
      throw error;
    }
    this.#end();
  }

  /** What still waits for its turn is refused when that comes: nothing of it is done. */
  async undo(): Promise<void> {
    this.#open = false;
    if (!this.used) return;
    try {
      await this.#tx.undo();
      await this.#tx.renew();
    } finally {
      this.#end();
    }
  }

  /** What the run has asked for and not waited for is part of what it wrote. */
  async #asked(): Promise<void> {
    if (this.used || this.#waiting === null) return;
    await this.#waiting;
    await setImmediate();
  }

  async #use(): Promise<Tx> {
    this.#waiting ??= this.#turn();
    const giveBack = await this.#waiting;
    if (!this.#open) {
      if (!this.used) giveBack();
      throw new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
    }
    this.#giveBack = giveBack;
    return this.#tx.handle;
  }

  #end(): void {
    this.#giveBack?.();
  }
}
