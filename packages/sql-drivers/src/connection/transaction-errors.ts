import { DriverError } from '@rowlock/core';

/** The error for a call whose `tx` has no open transaction. */
export function noTransaction(): DriverError {
  return new DriverError(
    'TransactionOver',
    "'tx' has no open transaction: it is over, or did not begin. The call has changed no job. Begin the transaction first, and await each call before the COMMIT.",
  );
}

/** The error for a call whose `tx` is in a transaction that may only read. */
export function onlyReads(cause: unknown): DriverError {
  return new DriverError(
    'InvalidInput',
    "The transaction of 'tx' only reads, as after BEGIN READ ONLY: begin one that may write. The call has written nothing.",
    { cause },
  );
}
