import { isError, readOr } from '../is-error.js';

/** Every kind of error of a database, as one closed set. A driver's table maps its server's codes to these. */
export type DriverErrorCode =
  | 'LockNotAvailable'
  | 'LockTimeout'
  | 'LimitReached'
  | 'Deadlock'
  | 'SerializationFailure'
  | 'ConnectionLost'
  | 'StatementCancelled'
  | 'OutOfResources'
  | 'UniqueViolation'
  | 'InvalidInput'
  | 'PermissionDenied'
  | 'SchemaOutdated'
  | 'SchemaDiffers'
  | 'TransactionOver'
  | 'CommitUnknown'
  | 'EngineUnsuitable'
  | 'Unknown';

/** Whether the same work may succeed when it is simply repeated. */
const RETRYABLE: ReadonlySet<DriverErrorCode> = new Set([
  'LockTimeout',
  'Deadlock',
  'SerializationFailure',
  'ConnectionLost',
  'StatementCancelled',
  'OutOfResources',
]);

const unsent = new WeakSet<DriverError>();

export interface DriverErrorOptions extends ErrorOptions {
  /** Default false. */
  readonly isUnsent?: boolean;
}

/**
 * An error of the database, classified. Test `code`, not `instanceof`, where two copies of this package may meet.
 *
 * - `LockNotAvailable`: NOWAIT met a lock. Another transaction has the entity.
 * - `LimitReached`: all slots of a limit are taken.
 * - `LockTimeout`, `Deadlock`, `SerializationFailure`: the server gave up. A repeat may work.
 * - `ConnectionLost`: the connection ended, and with it any claim that lived on it.
 * - `StatementCancelled`: the server cancelled the statement, at a timeout or at a request to cancel.
 * - `OutOfResources`: the server is short of disk, memory or another limited resource.
 * - `UniqueViolation`: a unique key is taken.
 * - `InvalidInput`: the database cannot hold the value.
 * - `PermissionDenied`: the database user lacks a right.
 * - `SchemaOutdated`: the tables are missing, or older than this driver.
 * - `SchemaDiffers`: the tables were made by another text of a migration than this driver has, or some were dropped since.
 * - `TransactionOver`: the transaction was used after its end, or before its begin.
 * - `CommitUnknown`: the connection was lost during a COMMIT, which may or may not have been done.
 * - `EngineUnsuitable`: the server does not lock rows as workers need, or workers write through several servers. Or the version of the server
 *   or of its client is too old, or a setting is unsuitable.
 */
export class DriverError extends Error {
  override readonly name = 'DriverError';

  constructor(
    readonly code: DriverErrorCode,
    message: string,
    options?: DriverErrorOptions,
  ) {
    super(message, options);
    if (options?.isUnsent === true) unsent.add(this);
  }

  /** Whether no connection could be opened, so that nothing was sent: the error says nothing of any job. */
  get isUnsent(): boolean {
    return unsent.has(this);
  }

  get isRetryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** Whether `error` is a driver's error with this code. */
export function isDriverError(error: unknown, code?: DriverErrorCode): error is DriverError {
  return readOr(
    false,
    () =>
      isError(error) &&
      error.name === 'DriverError' &&
      'code' in error &&
      (code === undefined || error.code === code),
  );
}
