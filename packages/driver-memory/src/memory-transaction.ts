import type { Json } from '@rowlock/core';

/**
 * Records of the application's own, beside the jobs: JSON values by table and key. Tables need not be made. A value that is
 * read is a copy. Writes of other transactions are seen when they are committed.
 */
export interface Records {
  /** The record, or undefined. */
  get(table: string, key: string): Promise<Json | undefined>;

  /** All records of a table, in the order of their inserts. */
  list(table: string): Promise<readonly Json[]>;

  /** Adds a record. @throws DriverError `UniqueViolation` when the key is taken. */
  insert(table: string, key: string, value: Json): Promise<void>;

  /** Writes a record, whether it is there or not. Waits for another transaction that has written it. */
  set(table: string, key: string, value: Json): Promise<void>;

  /** Removes a record, and resolves with whether it was there. Waits as `set` does. */
  remove(table: string, key: string): Promise<boolean>;
}

/**
 * An open transaction: a handler gets it as `tx`, and a caller may pass it as `tx`. A handler that ends it has lost its claim, as
 * with a COMMIT in SQL.
 */
export interface MemoryTransaction extends Records {
  commit(): Promise<void>;
  /** May be called after the end: then it does nothing. */
  rollback(): Promise<void>;
}
