import type { Place } from '../claims/statements/place.js';
import type { Contents } from './contents.js';
import type { Runner } from './runner.js';

/**
 * Runs a statement: in a caller's transaction, or in one of its own.
 *
 * @param waitMs How long the statement may wait for a lock. Default: for ever.
 */
export type Execute = <Result>(
  statement: (place: Place) => Result | Promise<Result>,
  waitMs?: number,
) => Promise<Result>;

/** Statements on a database, in one transaction or each in one of its own. */
export function executeOn(database: Contents, on: Runner): Execute {
  return (statement, waitMs) =>
    on.run((tx) => {
      const run = () => statement({ database, tx });
      return waitMs === undefined ? run() : tx.waitingAtMost(waitMs, run);
    });
}
