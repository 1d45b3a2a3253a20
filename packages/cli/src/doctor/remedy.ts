import { type DriverErrorCode, isDriverError } from '@rowlock/core';

const LOCKED = 'Look which session has locked the tables, and end it.';

const REMEDIES: Partial<Record<DriverErrorCode, string>> = {
  ConnectionLost:
    'Look whether the server is up and writes, whether the URL is its own, whether a session has locked the tables, and whether a limit that the sentence names is too short.',
  LockNotAvailable: LOCKED,
  LockTimeout: LOCKED,
  OutOfResources: 'Give the server more of what the sentence names.',
  PermissionDenied:
    'Use the account of the workers, or grant this one the rights that the README of the driver lists.',
  StatementCancelled: 'Give this user a longer limit on the time of statements, or none.',
};

/** What to do about an error that any statement may meet. Undefined: it is about what the statement names. */
export function remedyFor(error: unknown): string | undefined {
  return isDriverError(error) ? REMEDIES[error.code] : REMEDIES.ConnectionLost;
}
