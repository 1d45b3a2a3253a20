/** The holder of a row's lock. */
export interface LockHolder {
  /** The holder of the lock for which this one waits. Undefined when it does not wait. */
  readonly waitsFor: LockHolder | undefined;
  toString(): string;
}
