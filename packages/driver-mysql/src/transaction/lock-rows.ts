import { isUint8Array } from 'node:util/types';
import { DriverError, isDriverError } from '@rowlock/core';
import {
  type ColumnCondition,
  isOwnHandle,
  type LockRowsOptions,
  type RowCondition,
  type RowLock,
  type RowValue,
  rowLock,
  type TableName,
} from '@rowlock/core/driver';
import { checkCallersConnection } from '../connection/callers-connection.js';
import { CallersTransaction } from '../connection/callers-transaction.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import type { MysqlTransaction } from '../query.js';
import { list } from '../values/list.js';

/** The strengths of MySQL's row locks. It has no `no key update` and no `key share`. */
export type LockStrength = 'update' | 'share';

/** MariaDB has no FOR SHARE. Each server passes over the other's comment. */
const STRENGTHS = {
  update: 'FOR UPDATE',
  share: '/*!80000 FOR SHARE *//*M! LOCK IN SHARE MODE */',
} as const satisfies Record<LockStrength, string>;

const NAMES = ['update', 'share'] as const satisfies readonly LockStrength[];

/**
 * Locks rows of one of your tables until the end of the transaction, and returns them.
 *
 * @param table Its name, e.g. `orders`, or `shop.orders`. A list, `['shop', 'orders']`, may have dots in the names.
 * @param where The rows: each column has this value, or one of these. Null matches NULL. One of the columns should have
 * an index: without one, MySQL locks every row that it reads.
 * @throws DriverError `LockNotAvailable` with `nowait`, if another transaction has one of the rows; `TransactionOver`
 * outside of a transaction; `Deadlock`, `LockTimeout` and others
 * @throws InvalidInputError
 * @example
 * const [order] = await lockRows<Order>(tx, 'orders', { id: 7 });
 * const free = await lockRows(tx, 'seats', { show: 3, taken: null }, { wait: 'skipLocked', limit: 2 });
 */
export async function lockRows<Row = Record<string, unknown>>(
  tx: MysqlTransaction,
  table: TableName,
  where: RowCondition,
  options: LockRowsOptions<LockStrength> = {},
): Promise<Row[]> {
  const lock = rowLock(NAMES, table, where, options);
  const { text, values } = statementOf(lock);
  checkCallersConnection(tx);
  const on = isOwnHandle(tx) ? tx : new CallersTransaction(tx).asRead;
  try {
    const [rows] = await on.execute(text, values);
    return rows;
  } catch (error) {
    throw refused(toDriverError(error), lock);
  }
}

type Sent = string | Date | Buffer | null;

function statementOf(lock: RowLock<LockStrength>): { readonly text: string; readonly values: Sent[] } {
  const values: Sent[] = [];
  const parts = [
    `SELECT * FROM ${lock.table.map(identifier).join('.')}`,
    `WHERE ${['TRUE', ...lock.conditions.map((each) => conditionOf(each, values))].join(' AND ')}`,
    lock.order.length > 0 &&
      `ORDER BY ${lock.order.map(([column, way]) => `${identifier(column)} ${way}`).join(', ')}`,
    lock.limit !== null && 'LIMIT ?',
    STRENGTHS[lock.strength],
    lock.wait,
  ];
  if (lock.limit !== null) values.push(String(lock.limit));
  return { text: parts.filter((part) => part !== false && part !== '').join(' '), values };
}

/** @param into Gets the values of the places. */
function conditionOf({ column, values, orNull }: ColumnCondition, into: Sent[]): string {
  const name = identifier(column);
  const given = list(values.map(sent));
  if (values.length > 0) into.push(...given.values);
  const isOneOf = values.length > 0 && `${name} IN (${given.places})`;
  const isNull = orNull && `${name} IS NULL`;
  return `(${[isOneOf, isNull].filter((each) => each !== false).join(' OR ') || 'FALSE'})`;
}

/**
 * The client sends a number as a double, which would not match a text by its index, and would round a bigint. It sends
 * bytes that are no Buffer as JSON.
 */
function sent(value: Exclude<RowValue, null>): Exclude<Sent, null> {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (isUint8Array(value)) return Buffer.from(value);
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

/**
 * MariaDB's error of NOWAIT is that of a lock wait. The table is the application's: a migration of Rowlock's tables would
 * not help.
 */
function refused(error: DriverError, { wait }: RowLock<LockStrength>): DriverError {
  const { message, cause } = error;
  if (isDriverError(error, 'LockTimeout') && wait === 'NOWAIT')
    return new DriverError('LockNotAvailable', message, { cause });
  if (!isDriverError(error, 'SchemaOutdated')) return error;
  return new DriverError(
    'InvalidInput',
    `The table or one of its columns is not there. ${Object(cause).message}`,
    { cause },
  );
}
