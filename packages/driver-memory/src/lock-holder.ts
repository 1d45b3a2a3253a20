/** Has the lock of a row. */
export interface LockHolder {
  /** Has the lock that this one waits for, or undefined. */
  readonly waitsFor: LockHolder | undefined;
  toString(): string;
}
