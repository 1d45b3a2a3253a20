import type { CallersTx } from '../driver/adapted-transaction.js';
import { InvalidInputError } from '../errors.js';
import { checkOptions } from '../known-options.js';

/** The transaction of a client's call. */
export interface CallOptions<Tx> {
  /** The caller's own open transaction: the call's writes are committed or rolled back with it. */
  readonly tx?: CallersTx<Tx>;
}

/**
 * The transaction that a call is given. JavaScript may pass a bare transaction instead of the options. Then the call
 * would run outside of it, so this throws.
 *
 * @throws InvalidInputError
 */
export function txOf<Tx>(call: CallOptions<Tx>): CallersTx<Tx> | undefined {
  const given: unknown = call;
  if (typeof given === 'object' && given !== null && ('tx' in given || isEmpty(given))) {
    // An application's own transaction may have a `tx` too, and has other members then.
    checkOptions('The last argument', given, ['tx']);
    return call.tx;
  }
  throw new InvalidInputError(
    'The last argument is an object with the transaction, { tx }, not the transaction itself.',
  );
}

function isEmpty(given: object): boolean {
  const made: unknown = Object.getPrototypeOf(given);
  return Object.keys(given).length === 0 && (made === null || Object.getPrototypeOf(made) === null);
}
