import type { LockHolder } from './lock-holder.js';

/** One row: what is committed of it, its lock, and what the lock's holder has made of it. Values are never changed in place. */
export class Row<Value> {
  readonly #gone: () => void;
  readonly #waiting = new Set<() => void>();
  #holder: LockHolder | undefined;
  #committed: Value | undefined;
  #pending: Value | undefined;

  /** @param gone Is called when there is no version of the row any more. */
  constructor(
    readonly name: string,
    gone: () => void,
  ) {
    this.#gone = gone;
  }

  get holder(): LockHolder | undefined {
    return this.#holder;
  }

  /** READ COMMITTED: the holder sees what it wrote, everybody else what is committed. */
  seenBy(reader: LockHolder): Value | undefined {
    return this.#holder === reader ? this.#pending : this.#committed;
  }

  /** All versions that there are. Two of them mean that a transaction will decide between them. */
  versions(): readonly (Value | undefined)[] {
    return this.#committed === this.#pending || this.#holder === undefined
      ? [this.#committed]
      : [this.#committed, this.#pending];
  }

  /** Whether `asker` could have the lock at once. */
  isFreeFor(asker: LockHolder): boolean {
    return this.#holder === undefined || this.#holder === asker;
  }

  lock(holder: LockHolder): void {
    this.#holder = holder;
    this.#pending = this.#committed;
  }

  /** Writes the holder's version, undefined for none, and returns the one before. */
  write(value: Value | undefined): Value | undefined {
    const before = this.#pending;
    this.#pending = value;
    return before;
  }

  /** What the holder wrote becomes what everybody sees. */
  publish(): void {
    this.#committed = this.#pending;
    this.release();
  }

  /** Lets the lock go, and with it what the holder wrote. */
  release(): void {
    this.#holder = undefined;
    this.#pending = undefined;
    if (this.#committed === undefined) this.#gone();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Calls back once, when the lock is let go. */
  onRelease(wake: () => void): void {
    this.#waiting.add(wake);
  }
}
