import { RowlockError } from '../errors.js';

/** Why a database refuses an operation, and the sentence for it. */
const REASONS = {
  'not-an-object': 'a name in its path leads into a value that is not an object',
  'not-an-array': 'an array is needed where there is another value',
  'no-item': 'an index in its path leads to an item that is not there',
  'not-a-number': 'the value at its path is not a number',
  inexact: 'its sum is out of the range in which sums are exact',
  'too-large': 'the value would have too many bytes',
  unreadable: 'this database cannot read the stored value',
} as const;

export type RefusalReason = keyof typeof REASONS;

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
