import { endRefused, runOver } from '@rowlock/core/driver';
import { OpenTransaction } from '../engine/open-transaction.js';
import type { Transaction } from '../engine/transaction.js';

/** The `tx` of a handler. The first use sets the savepoint. Refuses statements after the run, and its own end. */
export class HandlerTransaction extends OpenTransaction {
  #savepoint: number | undefined;
  #open = true;

  /** The place to which `undo` goes back. Undefined when there is nothing to undo. */
  get savepoint(): number | undefined {
    return this.#savepoint;
  }

  override async run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    if (!this.#open) throw runOver();
    return super.run((tx) => {
      this.#savepoint ??= tx.savepoint();
      return statement(tx);
    });
  }

  override commit(): Promise<void> {
    return this.#refuse('commit');
  }

  override async rollback(): Promise<void> {
    if (this.#open) await this.#refuse('rollback');
  }

  close(): void {
    this.#open = false;
  }

  #refuse(end: string): Promise<void> {
    return this.run(() => {
      throw endRefused(end);
    });
  }
}
