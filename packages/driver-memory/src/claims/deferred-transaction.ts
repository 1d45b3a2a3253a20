import { DriverError } from '@rowlock/core';
import type { Sender } from '@rowlock/core/driver';
import type { Contents } from '../engine/contents.js';
import type { MemoryTransaction } from '../engine/memory-transaction.js';
import { RecordsTransaction } from '../engine/records-transaction.js';
import type { Transaction } from '../engine/transaction.js';

/** A transaction that passes its statements on to another one. */
export class DeferredTransaction extends RecordsTransaction {
  readonly #sender: Sender<MemoryTransaction>;

  constructor(database: Contents, sender: Sender<MemoryTransaction>) {
    super(database);
    this.#sender = sender;
  }

  override run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    return this.#sender.send(async (handle) => {
      if (!(handle instanceof RecordsTransaction)) {
        throw new DriverError('InvalidInput', "tx must be a transaction of this driver's database.");
      }
      return handle.run(statement);
    });
  }

  override commit(): Promise<void> {
    return this.#sender.send((handle) => handle.commit());
  }

  override rollback(): Promise<void> {
    return this.#sender.send((handle) => handle.rollback());
  }
}
