import { runOver } from '@rowlock/core/driver';
import type { Contents } from './contents.js';
import { OpenTransaction } from './open-transaction.js';
import type { Transaction } from './transaction.js';

/** The `tx` of a handler. The first use sets the savepoint. Refuses statements after the run. */
export class HandlerTransaction extends OpenTransaction {
  readonly #onEnded: () => void;
  #savepoint: number | undefined;
  #open = true;

  /** @param onEnded Is called when the handler has ended the transaction, and so the claim. */
  constructor(database: Contents, tx: Transaction, onEnded: () => void) {
    super(database, tx);
    this.#onEnded = onEnded;
  }

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

  override async commit(): Promise<void> {
    await this.run((tx) => tx.commitNow());
    this.#onEnded();
  }

  override async rollback(): Promise<void> {
    if (!this.#open) return;
    await this.run((tx) => tx.rollbackNow());
    this.#onEnded();
  }

  close(): void {
    this.#open = false;
  }
}
