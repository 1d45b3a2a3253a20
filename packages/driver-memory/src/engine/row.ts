import type { LockHolder } from './lock-holder.js';

/** One row: its committed value, its lock, and the value of the lock's holder. Values are never changed in place. */
export class Row<Value> {
  readonly #gone: () => void;
  readonly #waiting = new Set<() => void>();
  #holder: LockHolder | undefined;
  #committed: Value | undefined;
  #pending: Value | undefined;

  /** @param gone Is called when no version of the row is left. */
  constructor(
    readonly name: string,
    gone: () => void,
  ) {
    this.#gone = gone;
  }

  get holder(): LockHolder | undefined {
    return this.#holder;
  }

  /** READ COMMITTED: the holder sees its own writes, and others see the committed value. */
  seenBy(reader: LockHolder): Value | undefined {
    return this.#holder === reader ? this.#pending : this.#committed;
  }

  /** All versions of the row. Two versions mean that a transaction is still to decide between them. */
  versions(): readonly (Value | undefined)[] {
    return this.#committed === this.#pending || this.#holder === undefined
      ? [this.#committed]
      : [this.#committed, this.#pending];
  }

  /** Whether `taker` could have the lock at once. */
  isFreeFor(taker: LockHolder): boolean {
    return this.#holder === undefined || this.#holder === taker;
  }

  lock(holder: LockHolder): void {
    this.#holder = holder;
    this.#pending = this.#committed;
  }

  /** Writes the holder's version, undefined for none. Returns the version before. */
  write(value: Value | undefined): Value | undefined {
    const before = this.#pending;
    this.#pending = value;
    return before;
  }

  /** Commits the holder's version. */
  publish(): void {
    this.#committed = this.#pending;
    this.release();
  }

  /** Releases the lock, and drops the holder's version. */
  release(): void {
    this.#holder = undefined;
    this.#pending = undefined;
    if (this.#committed === undefined) this.#gone();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Calls back once, at the release of the lock. */
  onRelease(wake: () => void): void {
    this.#waiting.add(wake);
  }
}
