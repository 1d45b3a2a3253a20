import { DriverError } from '@rowlock/core';
import { IdleLimit } from './idle-limit.js';
import type { LockHolder } from './lock-holder.js';
import type { Row } from './row.js';
import { turn } from './turn.js';

/** One step of a transaction: the action that commits it, and the action that undoes it. */
interface Step {
  readonly commit: () => void;
  readonly undo: () => void;
}

const nothing = (): void => {};

/** A transaction: its steps so far, in order. Row locks are steps too: the undo of such a step releases the lock. */
export class Transaction implements LockHolder {
  readonly #name: string;
  readonly #onEnd: (changed: boolean) => void;
  readonly #idle: IdleLimit;
  readonly #lost = new AbortController();
  readonly #steps: Step[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #awaited: Row<unknown> | undefined;
  #stopWaiting: () => void = nothing;
  #waitMs = Number.POSITIVE_INFINITY;
  #committing: Promise<void> | undefined;
  #over = false;
  #refused = false;
  #forgotten = 0;
  /** The value of `#forgotten` when the running statement was sent: see stopStatements. */
  #sent = 0;

  /** @param onEnd Is called once, with whether others may see something new. */
  constructor(name: string, idleLimitMs: number, onEnd: (changed: boolean) => void) {
    this.#name = name;
    this.#onEnd = onEnd;
    this.#idle = new IdleLimit(idleLimitMs, () =>
      this.lose(new Error(`${name} idled longer than ${idleLimitMs} ms.`)),
    );
  }

  /** Aborted with a `ConnectionLost` when its owner loses the transaction. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Runs one statement at a time, in the order of the calls. A statement that fails has no effect. */
  run<Result>(statement: () => Result | Promise<Result>): Promise<Result> {
    const sent = this.#forgotten;
    const result = this.#last.then(async () => {
      await turn();
      this.#sent = sent;
      this.#checkWanted();
      return this.#attempt(statement);
    });
    this.#last = result.catch(nothing);
    return result;
  }

  /** Resolves when all statements that were sent have ended. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** Stops the statement that waits for a lock, or is about to, and refuses the statements that were sent after it. */
  stopStatements(): void {
    this.#forgotten += 1;
    this.#stopWaiting();
  }

  async #attempt<Result>(statement: () => Result | Promise<Result>): Promise<Result> {
    this.#check();
    const savepoint = this.savepoint();
    this.#idle.stop();
    try {
      return await statement();
    } catch (error) {
      this.undoTo(savepoint);
      throw error;
    } finally {
      if (!this.#over) this.#idle.start();
    }
  }

  /** Waits until the row is free. Holds the lock until the end of the transaction. */
  async lock(row: Row<unknown>): Promise<void> {
    await this.waitFor(row);
    this.take(row);
  }

  /** Locks a free row. */
  take(row: Row<unknown>): void {
    if (row.holder === this) return;
    row.lock(this);
    this.#steps.push({ commit: () => row.publish(), undo: () => row.release() });
  }

  /** NOWAIT: locks all rows, or fails. After a failure only a rollback is possible. */
  takeNow(rows: readonly Row<unknown>[]): void {
    const taken = rows.find((row) => !row.isFreeFor(this));
    if (taken !== undefined) {
      this.#refused = true;
      const cause = new Error(`${taken.name} is locked by ${taken.holder}.`);
      throw new DriverError('LockNotAvailable', 'Another transaction holds a row.', { cause });
    }
    for (const row of rows) this.take(row);
  }

  /** Runs a part of a statement whose waits for locks end with a `LockTimeout` after so many milliseconds. */
  async waitingAtMost<Result>(ms: number, statement: () => Result | Promise<Result>): Promise<Result> {
    this.#waitMs = ms;
    try {
      return await statement();
    } finally {
      this.#waitMs = Number.POSITIVE_INFINITY;
    }
  }

  /** Waits until the row is free. The row may have been deleted by then. */
  async waitFor(row: Row<unknown>): Promise<void> {
    while (!row.isFreeFor(this)) {
      this.#checkWanted();
      this.#refuseDeadlock(row);
      this.#awaited = row;
      let isLate = false;
      await new Promise<void>((resolve) => {
        row.onRelease(resolve);
        this.#stopWaiting = resolve;
        if (Number.isFinite(this.#waitMs))
          setTimeout(() => {
            isLate = true;
            resolve();
          }, this.#waitMs);
      });
      this.#awaited = undefined;
      this.#check();
      if (isLate && !row.isFreeFor(this))
        throw new DriverError('LockTimeout', `${row.name} was locked for more than ${this.#waitMs} ms.`);
    }
  }

  /** Writes a row that this transaction has locked. */
  write<Value>(row: Row<Value>, value: Value | undefined): void {
    const before = row.write(value);
    this.#steps.push({ commit: nothing, undo: () => row.write(before) });
  }

  /** Does something at the commit, and only then. */
  atCommit(commit: () => void): void {
    this.#steps.push({ commit, undo: nothing });
  }

  savepoint(): number {
    return this.#steps.length;
  }

  undoTo(savepoint: number): void {
    while (this.#steps.length > savepoint) this.#steps.pop()?.undo();
  }

  /** Commits after the statements that were sent before. */
  commit(): Promise<void> {
    this.#committing = this.run(() => this.commitNow());
    return this.#committing;
  }

  /**
   * Waits for a commit that is under way. Otherwise ends the transaction at once, even when a statement waits for a lock. Never rejects.
   */
  async rollback(): Promise<void> {
    await this.#committing?.catch(nothing);
    this.rollbackNow();
  }

  commitNow(): void {
    for (const step of this.#steps) step.commit();
    this.#end();
  }

  /** Does nothing after the end of the transaction. */
  rollbackNow(): void {
    if (this.#over) return;
    this.undoTo(0);
    this.#end();
  }

  /** Rolls back without a call of the owner, or after the owner has ended the transaction past the driver. Aborts `lost`. */
  lose(cause: Error): void {
    this.rollbackNow();
    this.#lost.abort(
      new DriverError('ConnectionLost', `The transaction was lost: ${cause.message}`, { cause }),
    );
  }

  get waitsFor(): LockHolder | undefined {
    return this.#awaited?.holder;
  }

  toString(): string {
    return this.#name;
  }

  #end(): void {
    this.#over = true;
    this.#idle.stop();
    this.#stopWaiting();
    this.#onEnd(this.#steps.length > 0);
  }

  #check(): void {
    this.#lost.signal.throwIfAborted();
    if (this.#over) throw new DriverError('TransactionOver', 'The transaction has ended.');
    if (this.#refused) {
      throw new DriverError('TransactionOver', 'The transaction was refused a lock: roll it back.');
    }
  }

  #checkWanted(): void {
    if (this.#sent < this.#forgotten)
      throw new DriverError('TransactionOver', 'The statement was stopped: it is to be undone.');
  }

  /** Refuses the transaction that would close a cycle of waits. The others go on after its rollback. */
  #refuseDeadlock(row: Row<unknown>): void {
    let next = row.holder;
    while (next !== undefined && next !== this) next = next.waitsFor;
    if (next === undefined) return;
    const cause = new Error(`${this} waits for ${row.name} of ${row.holder}, which waits for it.`);
    throw new DriverError('Deadlock', 'Two transactions wait for each other.', { cause });
  }
}
