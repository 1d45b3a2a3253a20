import { DriverError } from '@rowlock/core';
import {
  type ColumnCondition,
  type LockRowsOptions,
  type RowCondition,
  type RowLock,
  rowLock,
  type TableName,
} from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import { CallersTransaction } from '../connection/callers-transaction.js';
import { identifier } from '../identifier.js';
import type { PostgresTransaction } from '../query.js';
import { WITHIN } from '../statements/within.js';

/** The strengths of Postgres's row locks. `no key update` and `key share` let child rows refer to the row meanwhile. */
export type LockStrength = 'update' | 'no key update' | 'share' | 'key share';

const STRENGTHS = {
  update: 'FOR UPDATE',
  'no key update': 'FOR NO KEY UPDATE',
  share: 'FOR SHARE',
  'key share': 'FOR KEY SHARE',
} as const satisfies Record<LockStrength, string>;

const NAMES = ['update', 'no key update', 'share', 'key share'] as const satisfies readonly LockStrength[];

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
  const { text, values } = statementOf(rowLock(NAMES, table, where, options));
  try {
    return await new CallersTransaction(tx).rows<Row>(text, values);
  } catch (error) {
    throw notThere(error);
  }
}

function statementOf(lock: RowLock<LockStrength>): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const parts = [
    `SELECT * FROM ${lock.table.map(identifier).join('.')}`,
    `WHERE ${['true', ...lock.conditions.map((each) => conditionOf(each, place))].join(' AND ')} ${WITHIN}`,
    lock.order.length > 0 &&
      `ORDER BY ${lock.order.map(([column, way]) => `${identifier(column)} ${way}`).join(', ')}`,
    lock.limit !== null && `LIMIT ${place(lock.limit)}`,
    STRENGTHS[lock.strength],
    lock.wait,
  ];
  return { text: parts.filter((part) => part !== false && part !== '').join(' '), values };
}

function conditionOf({ column, values, orNull }: ColumnCondition, place: (value: unknown) => string): string {
  const name = identifier(column);
  const isOneOf = values.length > 0 && `${name} IN (${values.map(place).join(', ')})`;
  const isNull = orNull && `${name} IS NULL`;
  return `(${[isOneOf, isNull].filter((each) => each !== false).join(' OR ') || 'false'})`;
}

/** The table is the application's: a migration of Rowlock's tables would not help. */
function notThere(error: unknown): unknown {
  if (!isMissing(error)) return error;
  const { cause } = error;
  return new DriverError(
    'InvalidInput',
    `The table or one of its columns is not there. ${Object(cause).message}`,
    { cause },
  );
}

function isMissing(error: unknown): error is DriverError {
  return error instanceof DriverError && error.code === 'SchemaOutdated';
}
