import type { AdaptedTransaction } from '@rowlock/core/driver';
import { is, type SQL, sql } from 'drizzle-orm';
import { MySqlTransaction } from 'drizzle-orm/mysql-core';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { adapted, noneOf, type Value } from './adapted.js';
import { clientOf } from './client.js';
import type { Handle } from './handle.js';
import { mysqlResult } from './mysql-result.js';
import { type Pieces, piecesOf } from './placeholders.js';

/** A transaction of Drizzle's on Postgres or MySQL, whatever its client and its schema. A database object has no `rollback`. */
export interface DrizzleTransaction {
  execute(query: SQL): PromiseLike<unknown>;
  rollback(): never;
}

const WANTED =
  'the tx of db.transaction(async (tx) => …), of drizzle-orm on Postgres or MySQL, and not the db itself';

/**
 * A transaction of Drizzle's, for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as the database object
 *
 * @example
 * await db.transaction(async (tx) => {
 *   await tx.insert(orders).values({ id: 7 });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromDrizzle(tx) });
 * });
 */
export function fromDrizzle(tx: DrizzleTransaction): AdaptedTransaction {
  if (is(tx, PgTransaction))
    return adapted(tx, { name: 'fromDrizzle', database: 'postgres' }, (text, values) =>
      tx.execute(statement(piecesOf('postgres', text, values))),
    );
  if (is(tx, MySqlTransaction))
    return adapted(tx, { name: 'fromDrizzle', database: 'mysql' }, async (text, values) => {
      const answer: unknown = await tx.execute(statement(piecesOf('mysql', text, values)));
      return mysqlResult(Object(answer)[0]);
    });
  throw noneOf('fromDrizzle', WANTED);
}

function statement({ texts, values }: Pieces): SQL {
  return sql.join(texts.flatMap((text, place) => [sql.raw(text), ...paramAt(values, place)]));
}

function paramAt(values: readonly Value[], place: number): readonly SQL[] {
  return place < values.length ? [sql`${sql.param(values[place])}`] : [];
}

/**
 * The transaction of a handler as Drizzle's database object. Its `transaction()` is a savepoint.
 *
 * @param make The `drizzle` of `drizzle-orm/node-postgres` or `drizzle-orm/mysql2`, or a function that calls it.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const db = onDrizzle(tx, (client) => drizzle({ client, schema }));
 */
export function onDrizzle<Database>(tx: Handle, make: (client: never) => Database): Database {
  return Object(make)(clientOf('onDrizzle', tx));
}
