import type { Json, Operation } from '@rowlock/core';

/**
 * The application's own records, beside the jobs: JSON values by table and key. A table needs no creation. A value that is
 * read is a copy. Writes of other transactions are visible after their commit.
 */
export interface Records {
  /** The record, or undefined. */
  get(table: string, key: string): Promise<Json | undefined>;

  /** All records of a table, in the order of their inserts. */
  list(table: string): Promise<readonly Json[]>;

  /** Adds a record. @throws DriverError `UniqueViolation` when the key is taken. */
  insert(table: string, key: string, value: Json): Promise<void>;

  /** Writes a record, new or not. Waits for another transaction that has written the same record. */
  set(table: string, key: string, value: Json): Promise<void>;

  /**
   * Changes a record, as `updateJson` of the other drivers does a column. Resolves with whether the record existed. Waits
   * as `set` does.
   *
   * @throws InvalidInputError, UpdateRefusedError
   */
  update(table: string, key: string, operations: readonly Operation[]): Promise<boolean>;

  /** Removes a record, and resolves with whether it existed. Waits as `set` does. */
  remove(table: string, key: string): Promise<boolean>;
}

/**
 * An open transaction. A handler gets one as `tx`, and a caller may pass one as `tx`. A handler's refuses `commit` and `rollback`, as with
 * a COMMIT in SQL.
 */
export interface MemoryTransaction extends Records {
  commit(): Promise<void>;
  /** Does nothing after the end of the transaction. */
  rollback(): Promise<void>;
}
