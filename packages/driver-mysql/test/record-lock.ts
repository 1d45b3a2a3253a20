/** A lock on a record of an index. */
export interface RecordLock {
  readonly index: string;
  /** In the words of MySQL's performance_schema.data_locks. */
  readonly mode: string;
  /** The first column of the record; a whole number, where it is one. */
  readonly key: string;
  readonly isWaiting: boolean;
}
