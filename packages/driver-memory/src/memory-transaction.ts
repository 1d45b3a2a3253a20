import type { Json } from '@rowlock/core';

/**
 * Records of the application's own, beside the jobs: JSON values by table and key. Tables need not be made. What is read
 * is a copy; what another transaction has not committed is not seen.
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

  /** Removes a record, and tells whether it was there. Waits as `set` does. */
  remove(table: string, key: string): Promise<boolean>;
}

/**
 * An open transaction: what a handler gets as `tx`, and what a caller may pass as `tx`. A handler that ends it itself has
 * lost its claim, as with a COMMIT in SQL.
 */
export interface MemoryTransaction extends Records {
  commit(): Promise<void>;
  /** Also after the end, when it does nothing. */
  rollback(): Promise<void>;
}
