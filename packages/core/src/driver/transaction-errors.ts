import { DriverError } from './driver-error.js';

/** The error for a statement through a handler's transaction after its run. */
export function runOver(): DriverError {
  return new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
}

/** The error for a statement that would begin or end a transaction which Rowlock itself ends. @param statement Without comments */
export function endRefused(statement: string): DriverError {
  return new DriverError(
    'InvalidInput',
    `${firstWords(statement)} was not sent: this tx is in a transaction that Rowlock itself commits, or rolls back when your code throws. For a part that ` +
      'can be undone alone, use SAVEPOINT and ROLLBACK TO SAVEPOINT. The transaction() of an ORM sends BEGIN and COMMIT, so call the ORM without it.',
  );
}

/** The first words of a statement. The rest may have values. */
export function firstWords(statement: string): string {
  const [words] = /^\w+(?:\s+\w+)?/.exec(statement) ?? [statement];
  return words.replace(/\s+/g, ' ').toUpperCase();
}
