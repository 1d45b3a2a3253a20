import { InvalidInputError } from '../errors.js';

/** Where a client's call takes place. */
export interface CallOptions<Tx> {
  /** The caller's own open transaction: what the call writes is committed or rolled back with it. */
  readonly tx?: Tx;
}

/**
 * The transaction that a call is given. In JavaScript it may be passed as it is, and the call would take place outside of it.
 *
 * @throws InvalidInputError
 */
export function txOf<Tx>(call: CallOptions<Tx>): Tx | undefined {
  const given: unknown = call;
  if (typeof given === 'object' && given !== null && ('tx' in given || isEmpty(given))) return call.tx;
  throw new InvalidInputError(
    'The last argument is an object with the transaction, { tx }, not the transaction itself.',
  );
}

function isEmpty(given: object): boolean {
  const made: unknown = Object.getPrototypeOf(given);
  return Object.keys(given).length === 0 && (made === null || Object.getPrototypeOf(made) === null);
}
