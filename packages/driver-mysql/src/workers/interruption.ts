import { toDriverError } from '../errors.js';

/** MySQL's number for a statement that KILL QUERY has interrupted. */
const INTERRUPTED = 1317;

/** @throws the error, unless KILL QUERY has interrupted the statement */
export function isInterruption(error: unknown): true {
  const { cause } = toDriverError(error);
  if (Object(cause).errno === INTERRUPTED) return true;
  throw error;
}
