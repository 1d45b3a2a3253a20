import { DriverError } from './driver-error.js';

/** The error for a call whose `tx` has no open transaction. */
export function noTransaction(): DriverError {
  return new DriverError(
    'TransactionOver',
    "'tx' has no open transaction: it is over, or did not begin. The call has changed no job. Begin the transaction first, and await each call before the COMMIT.",
  );
}
