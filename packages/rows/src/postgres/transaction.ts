import { InvalidInputError } from '@rowlock/core';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import { type Pool, toDriverError } from '@rowlock/driver-postgres/internal';
import { repeatTransaction, type TransactionOptions } from '../repeat-transaction.js';
import { OpenTransaction } from './open-transaction.js';

/**
 * Does work in a transaction on a connection of your pool, and commits. Rolls back if the work throws. Repeats the work
 * if a deadlock or a serialization failure has ended the transaction, also at the COMMIT. So the work must have no other
 * effects than those through `tx`.
 *
 * @param work Takes a `tx`, for its own statements, for `lockRows` and for `rowlock.enqueue`. Await each of its calls.
 * @returns the result of `work`
 * @throws What `work` has thrown, of the last attempt; the signal's reason; InvalidInputError
 * @throws DriverError `CommitUnknown` if the connection was lost during the COMMIT, which may have been done. Otherwise
 * nothing was committed
 * @example
 * await transaction(pool, async (tx) => {
 *   const [order] = await lockRows(tx, 'orders', { id: 7 });
 *   await tx.query('UPDATE orders SET due = due + 1 WHERE id = $1', [order?.id]);
 * });
 */
export async function transaction<Result>(
  pool: Pool,
  work: (tx: PostgresTransaction) => Result | PromiseLike<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  if (!('totalCount' in Object(pool)))
    throw new InvalidInputError('The first argument of transaction() is a pool: new pg.Pool({ … }).');
  return repeatTransaction(
    () => OpenTransaction.begin(pool, options.isolation),
    work,
    options,
    toDriverError,
  );
}
