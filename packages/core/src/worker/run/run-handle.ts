import type { Uses } from '../../driver/driver.js';
import { runOver } from '../../driver/transaction-errors.js';
import { OpenCalls } from './open-calls.js';

export interface RunWrites<Tx> {
  /** Aborted when the claim is lost. */
  readonly lost: AbortSignal;
  /** The target of the run's statements, once it may write. */
  handle(): Tx | Promise<Tx>;
  undo(): Promise<void>;
}

export interface Entrance {
  readonly isShared: boolean;
  /**
   * Resolves when the run may write.
   * @returns lets the next run in
   */
  enter(): Promise<() => void>;
  /** Closes the run's writes if other runs share the transaction. Rejects when the writes cannot stay. */
  renew(): Promise<void>;
}

/**
 * The one gate between a handler and its transaction. The handler's first statement waits until the run may write. A
 * statement after the run's end is refused.
 */
export class RunHandle<Tx> {
  readonly calls = new OpenCalls();
  readonly #driver: Uses<{ claims: 'deferred' }, Tx>;
  readonly #writes: RunWrites<Tx>;
  readonly #entrance: Entrance;
  #prepare: ((handle: Tx) => Promise<unknown>) | undefined;
  #handle: Tx | undefined;
  #entering: Promise<() => void> | null = null;
  #leave: (() => void) | null = null;
  #isOpen = true;
  #isKept = false;
  #isDiscarded = false;

  /** @param prepare Is sent ahead of the run's first statement. */
  constructor(
    driver: Uses<{ claims: 'deferred' }, Tx>,
    writes: RunWrites<Tx>,
    entrance: Entrance,
    prepare?: (handle: Tx) => Promise<unknown>,
  ) {
    this.#driver = driver;
    this.#writes = writes;
    this.#entrance = entrance;
    this.#prepare = prepare;
  }

  get lost(): AbortSignal {
    return this.#writes.lost;
  }

  get handle(): Tx {
    this.#handle ??= this.#driver.claims.deferred({
      send: (statement) => this.calls.add(this.#use(statement)),
    });
    return this.#handle;
  }

  /** Whether the handler has written, or may have. */
  get used(): boolean {
    return this.#leave !== null;
  }

  /** Whether it waits for its turn to write, which another run of its transaction has. */
  get waits(): boolean {
    return this.#entrance.isShared && this.#entering !== null && !this.used;
  }

  /** Whether what the handler has written is part of the transaction for good. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** From now on `keep` undoes what the run has written. */
  discard(): void {
    this.#isDiscarded = true;
  }

  /** Ends the run and keeps its writes. Undefined if it has none. Rejects if the writes cannot stay: then call `undo`. */
  keep(): Promise<void> | undefined {
    this.#isOpen = false;
    if (this.#entering === null) return undefined;
    return this.#isDiscarded ? this.undo() : this.#keep(this.#entering);
  }

  async #keep(entering: Promise<() => void>): Promise<void> {
    await entering;
    if (!this.used) return;
    await this.#entrance.renew();
    this.#isKept = true;
    this.#leave?.();
  }

  /** Undoes what the run has written. A statement that still waits is refused. */
  async undo(): Promise<void> {
    this.#isOpen = false;
    if (!this.used) return;
    try {
      await this.#writes.undo();
      await this.#entrance.renew();
    } finally {
      this.#leave?.();
    }
  }

  async #use<Answer>(statement: (handle: Tx) => Promise<Answer>): Promise<Answer> {
    this.#entering ??= this.#entrance.enter();
    const leave = await this.#entering;
    if (!this.#isOpen) {
      if (!this.used) leave();
      throw runOver();
    }
    this.#leave = leave;
    const handle = await this.#writes.handle();
    const prepare = this.#prepare;
    this.#prepare = undefined;
    if (prepare === undefined) return statement(handle);
    // In this order, and without a wait in between.
    const [, answer] = await Promise.all([prepare(handle), statement(handle)]);
    return answer;
  }
}
