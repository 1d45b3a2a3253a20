import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { TransactionSql } from 'postgres';
import { adapted, noneOf } from './adapted.js';

/**
 * A transaction of postgres.js, for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as the `sql` of the pool
 *
 * @example
 * await sql.begin(async (sql) => {
 *   await sql`INSERT INTO orders (id) VALUES (7)`;
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromPostgresJs(sql) });
 * });
 */
export function fromPostgresJs(sql: TransactionSql): AdaptedTransaction {
  if (typeof Object(sql).unsafe !== 'function' || typeof Object(sql).savepoint !== 'function')
    throw noneOf('fromPostgresJs', 'the sql of sql.begin(async (sql) => …), and not the sql of the pool');
  return adapted(sql, { name: 'fromPostgresJs', database: 'postgres' }, (text, values) =>
    sql.unsafe(text, values),
  );
}
