import { DriverError, type DriverErrorCode } from '@rowlock/core';

/** The error of a COMMIT that has failed. Without an answer it may have been done. */
export function commitError(
  error: unknown,
  toDriverError: (error: unknown, otherwise?: DriverErrorCode) => DriverError,
): DriverError {
  if (toDriverError(error, 'ConnectionLost').code !== 'ConnectionLost') return toDriverError(error);
  return new DriverError(
    'CommitUnknown',
    'The connection was lost during the COMMIT: the transaction may or may not have been committed. Look at its effects before you repeat it.',
    { cause: error },
  );
}

/** The error of a transaction that its own work has ended, e.g. by COMMIT. */
export function endedByWork(): DriverError {
  return new DriverError(
    'TransactionOver',
    'A statement of the work has ended the transaction, as COMMIT, ROLLBACK, or a DDL statement on MySQL. transaction() itself commits and rolls back.',
  );
}

/** The error of a statement after the transaction. */
export function transactionOver(): DriverError {
  return new DriverError(
    'TransactionOver',
    'The transaction is over: await each call through tx before the work returns.',
  );
}
