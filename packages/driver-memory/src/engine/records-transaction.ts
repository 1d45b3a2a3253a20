import type { Json, Operation } from '@rowlock/core';
import type { Contents } from './contents.js';
import type { MemoryTransaction, Records } from './memory-transaction.js';
import { recordsOn } from './records.js';
import type { Runner } from './runner.js';
import type { Transaction } from './transaction.js';

/** An application's transaction: the verbs over records, on top of `run`. */
export abstract class RecordsTransaction implements MemoryTransaction, Runner {
  readonly database: Contents;
  readonly #records: Records;

  constructor(database: Contents) {
    this.database = database;
    this.#records = recordsOn(database, this);
  }

  abstract run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result>;

  abstract commit(): Promise<void>;

  abstract rollback(): Promise<void>;

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

  update(table: string, key: string, operations: readonly Operation[]): Promise<boolean> {
    return this.#records.update(table, key, operations);
  }

  remove(table: string, key: string): Promise<boolean> {
    return this.#records.remove(table, key);
  }
}
