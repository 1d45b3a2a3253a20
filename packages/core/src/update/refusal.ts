import { RowlockError } from '../errors.js';

/** Why a stored value does not fit an operation. */
export type RefusalReason =
  | 'not-an-object'
  | 'not-an-array'
  | 'no-item'
  | 'not-a-number'
  | 'inexact'
  | 'too-large'
  | 'unreadable';

/** The end of a sentence about an operation. */
const REASONS: Readonly<Record<RefusalReason, string>> = {
  'not-an-object': 'a name in its path leads into a value that is not an object',
  'not-an-array': 'an array is needed where there is another value',
  'no-item': 'an index in its path leads to an item that is not there',
  'not-a-number': 'the value at its path is not a number',
  inexact: 'its sum is out of the range in which sums are exact',
  'too-large': 'the value would have too many bytes',
  unreadable: 'this database cannot read the stored value',
};

/** The stored value does not fit an operation. The whole call has written nothing. */
export class UpdateRefusedError extends RowlockError {
  override readonly name = 'UpdateRefusedError';

  /** @param operation The operation's place in the list, from 0. */
  constructor(
    readonly operation: number,
    readonly reason: RefusalReason,
    options?: ErrorOptions,
  ) {
    super(
      'ROWLOCK_UPDATE_REFUSED',
      `Operation ${operation} of the update is refused, as ${REASONS[reason]}. Nothing was written.`,
      options,
    );
  }
}

/** Marks a refusal in a text that a database quotes in its error. The operation and the reason follow. */
export const REFUSED = 'rowlock refuses ';

const MARK = new RegExp(`${REFUSED}(\\d+) ([a-z-]+)`);

/** The refusal that a database's error quotes, or the error itself. */
export function refusalIn(error: unknown): unknown {
  const [, operation, reason = ''] = MARK.exec(String(Object(error).message)) ?? [];
  return isReason(reason) ? new UpdateRefusedError(Number(operation), reason, { cause: error }) : error;
}

function isReason(text: string): text is RefusalReason {
  return Object.hasOwn(REASONS, text);
}
