import { DriverError } from './driver-error.js';

/** The error for a statement through a handler's transaction after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}
