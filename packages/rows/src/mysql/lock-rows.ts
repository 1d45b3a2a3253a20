import { isUint8Array } from 'node:util/types';
import { DriverError, isDriverError } from '@rowlock/core';
import type { RowCondition, RowValue, TableName } from '@rowlock/core/driver';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import {
  CallersTransaction,
  callersConnection,
  identifier,
  list,
  toDriverError,
} from '@rowlock/driver-mysql/internal';
import { isOwnHandle } from '@rowlock/sql-drivers';
import { type Dialect, type LockRowsOptions, lockStatement, notThere } from '../lock-statement.js';

/** The strengths of MySQL's row locks. It has no `no key update` and no `key share`. */
export type LockStrength = 'update' | 'share';

const MYSQL: Dialect<LockStrength> = {
  strengths: {
    update: 'FOR UPDATE',
    // MariaDB has no FOR SHARE. Each server passes over the other's comment.
    share: '/*!80000 FOR SHARE *//*M! LOCK IN SHARE MODE */',
  },
  identifier,
  placesOf(values, all) {
    const given = list(values.map(sent));
    all.push(...given.values);
    return given.places;
  },
  afterConditions: '',
};

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
  const { text, values } = lockStatement(MYSQL, table, where, options);
  const connection = callersConnection(tx);
  const on = isOwnHandle(connection) ? connection : new CallersTransaction(connection).asRead;
  try {
    await checkNumbers(on, table, where);
    const [rows] = await on.execute(text, values);
    return rows;
  } catch (error) {
    throw notThere(refused(toDriverError(error), options.wait));
  }
}

/** A text that MySQL takes for a number as a whole. Of another one it takes what it can: `1a` would be 1. */
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** The types of columns that are compared as numbers, by the protocol's numbers. */
const NUMBERS: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4, 5, 8, 9, 13, 16, 246]);

/**
 * Refuses a text that is no number where the column has numbers, as Postgres does. Looks at the columns' types only if there is such a
 * text, and locks nothing.
 *
 * @throws DriverError `InvalidInput`
 */
async function checkNumbers(
  on: Pick<MysqlTransaction, 'execute'>,
  table: TableName,
  where: RowCondition,
): Promise<void> {
  const texts = Object.entries(where).flatMap(([column, value]) => {
    const text = [value].flat().find((each) => typeof each === 'string' && !NUMBER.test(each));
    return text === undefined ? [] : [{ column, text }];
  });
  if (texts.length === 0) return;
  const names = texts.map(({ column }) => identifier(column)).join(', ');
  const parts = typeof table === 'string' ? table.split('.') : table;
  const [, fields] = await on.execute(`SELECT ${names} FROM ${parts.map(identifier).join('.')} LIMIT 0`);
  texts.forEach(({ column, text }, place) => {
    const { columnType, type } = Object(Object(fields)[place]);
    if (NUMBERS.has(columnType ?? type))
      throw new DriverError(
        'InvalidInput',
        `where.${column} is ${JSON.stringify(text)}, and the column has numbers. MySQL would compare with the number that the text begins with.`,
      );
  });
}

/**
 * The client sends a number as a double, which would not match a text by its index, and would round a bigint. It sends
 * bytes that are no Buffer as JSON.
 */
function sent(value: Exclude<RowValue, null>): string | Date | Buffer {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (isUint8Array(value)) return Buffer.from(value);
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

/** MariaDB's error of NOWAIT is that of a lock wait. */
function refused(error: DriverError, wait: LockRowsOptions<LockStrength>['wait']): DriverError {
  if (wait !== 'nowait' || !isDriverError(error, 'LockTimeout')) return error;
  return new DriverError('LockNotAvailable', error.message, { cause: error.cause });
}
