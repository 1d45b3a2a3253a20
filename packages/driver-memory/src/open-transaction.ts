import type { Json } from '@rowlock/core';
import type { Database } from './database.js';
import type { MemoryTransaction, Records } from './memory-transaction.js';
import { recordsOn } from './records.js';
import type { Runner } from './runner.js';
import type { Transaction } from './transaction.js';

/** A transaction as applications hold it. */
export class OpenTransaction implements MemoryTransaction, Runner {
  readonly database: Database;
  readonly #tx: Transaction;
  readonly #records: Records;

  constructor(database: Database, tx: Transaction) {
    this.database = database;
    this.#tx = tx;
    this.#records = recordsOn(database, this);
  }

  run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result> {
    return this.#tx.run(() => statement(this.#tx));
  }

  get(table: string, key: string): Promise<Json | undefined> {
    return this.#records.get(table, key);
  }

  list(table: string): Promise<readonly Json[]> {
    return this.#records.list(table);
  }

  insert(table: string, key: string, value: Json): Promise<void> {
    return this.#records.insert(table, key, value);
  }

  set(table: string, key: string, value: Json): Promise<void> {
    return this.#records.set(table, key, value);
  }

  remove(table: string, key: string): Promise<boolean> {
    return this.#records.remove(table, key);
  }

  commit(): Promise<void> {
    return this.#tx.commit();
  }

  rollback(): Promise<void> {
    return this.#tx.rollback();
  }
}
