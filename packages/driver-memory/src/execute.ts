import type { Place } from './statements/place.js';

/**
 * Runs a statement: in a caller's transaction, or in one of its own.
 *
 * @param waitMs How long the statement may wait for a lock. Default: for ever.
 */
export type Execute = <Result>(
  statement: (place: Place) => Result | Promise<Result>,
  waitMs?: number,
) => Promise<Result>;
