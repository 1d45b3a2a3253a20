import { DriverError } from '@rowlock/core';
import type { Contents } from './contents.js';
import type { MemoryTransaction } from './memory-transaction.js';
import { RecordsTransaction } from './records-transaction.js';
import type { Transaction } from './transaction.js';

/** A transaction that passes its statements on to another one. The first use resolves that one. */
export class DeferredTransaction extends RecordsTransaction {
  readonly #handle: () => Promise<MemoryTransaction>;

  constructor(database: Contents, handle: () => Promise<MemoryTransaction>) {
    super(database);
    this.#handle = handle;
  }

  override async run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    const handle = await this.#handle();
    if (!(handle instanceof RecordsTransaction)) {
      throw new DriverError('InvalidInput', "tx must be a transaction of this driver's database.");
    }
    return handle.run(statement);
  }

  override async commit(): Promise<void> {
    await (await this.#handle()).commit();
  }

  override async rollback(): Promise<void> {
    await (await this.#handle()).rollback();
  }
}
