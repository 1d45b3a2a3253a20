import { DriverError } from './driver-error.js';

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

/** The error for a statement through a handler's transaction after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}

/** The error for a statement that would begin or end a transaction which Rowlock itself ends. @param statement Without comments */
export function endRefused(statement: string): DriverError {
  return new DriverError(
    'InvalidInput',
    `${nameOf(statement)} was not sent: this tx is in a transaction that Rowlock itself commits, or rolls back when your code throws. For a part that ` +
      'can be undone alone, use SAVEPOINT and ROLLBACK TO SAVEPOINT. The transaction() of an ORM sends BEGIN and COMMIT, so call the ORM without it.',
  );
}

/** The error for a statement with which the server would commit the open transaction. @param statement Without comments */
export function implicitEndRefused(statement: string): DriverError {
  return new DriverError(
    'InvalidInput',
    `${nameOf(statement)} was not sent: the server commits the open transaction with it, and this tx is in one that Rowlock itself commits. Send the ` +
      'statement on another connection.',
  );
}

/**
 * Checks the form of a call. A callback, or a query that is an object with a life of its own, as a stream, would be sent without an answer.
 *
 * @throws DriverError `InvalidInput`
 */
export function checkCall(given: readonly unknown[]): void {
  const [statement] = given;
  const { submit, callback } = Object(statement);
  const isCallback = [...given.slice(1), callback].some((each) => typeof each === 'function');
  if (typeof submit !== 'function' && !isCallback) return;
  throw new DriverError(
    'InvalidInput',
    `${isCallback ? 'A callback' : 'A query object or a stream'} does not fit this tx: pass a text and values, and await the answer. ` +
      'The statement was not sent.',
  );
}

/** The first words of a statement. The rest may have values. */
function nameOf(statement: string): string {
  const [words] = /^\w+(?:\s+\w+)?/.exec(statement) ?? [statement];
  return words.replace(/\s+/g, ' ').toUpperCase();
}
