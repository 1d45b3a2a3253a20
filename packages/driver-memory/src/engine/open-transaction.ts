import type { Contents } from './contents.js';
import { RecordsTransaction } from './records-transaction.js';
import type { Transaction } from './transaction.js';

/** A transaction as applications hold it. */
export class OpenTransaction extends RecordsTransaction {
  readonly #tx: Transaction;

  constructor(database: Contents, tx: Transaction) {
    super(database);
    this.#tx = tx;
  }

  override run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    return this.#tx.run(() => statement(this.#tx));
  }

  override commit(): Promise<void> {
    return this.#tx.commit();
  }

  override rollback(): Promise<void> {
    return this.#tx.rollback();
  }
}
