import type { RowCondition, TableName } from '@rowlock/core/driver';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import {
  CallersTransaction,
  identifier,
  type QueryResultRow,
  WITHIN,
} from '@rowlock/driver-postgres/internal';
import { type Dialect, type LockRowsOptions, lockStatement, notThere } from '../lock-statement.js';

/** The strengths of Postgres's row locks. `no key update` and `key share` let child rows refer to the row meanwhile. */
export type LockStrength = 'update' | 'no key update' | 'share' | 'key share';

const POSTGRES: Dialect<LockStrength> = {
  strengths: {
    update: 'FOR UPDATE',
    'no key update': 'FOR NO KEY UPDATE',
    share: 'FOR SHARE',
    'key share': 'FOR KEY SHARE',
  },
  identifier,
  placesOf: (values, all) => values.map((value) => `$${all.push(value)}`).join(', '),
  afterConditions: WITHIN,
};

/**
 * Locks rows of one of your tables until the end of the transaction, and returns them.
 *
 * @param table Its name, e.g. `orders`, or `shop.orders`. A list, `['shop', 'orders']`, may have dots in the names.
 * @param where The rows: each column has this value, or one of these. Null matches NULL.
 * @throws DriverError `LockNotAvailable` with `nowait`, if another transaction has one of the rows; `TransactionOver`
 * outside of a transaction; `Deadlock`, `LockTimeout` and others
 * @throws InvalidInputError
 * @example
 * const [order] = await lockRows<Order>(tx, 'orders', { id: 7 });
 * const free = await lockRows(tx, 'seats', { show: 3, taken: null }, { wait: 'skipLocked', limit: 2 });
 */
export async function lockRows<Row extends QueryResultRow = QueryResultRow>(
  tx: PostgresTransaction,
  table: TableName,
  where: RowCondition,
  options: LockRowsOptions<LockStrength> = {},
): Promise<Row[]> {
  const { text, values } = lockStatement(POSTGRES, table, where, options);
  try {
    return await new CallersTransaction(tx).rows<Row>(text, values);
  } catch (error) {
    throw notThere(error);
  }
}
