import type { AdaptedTransaction } from '@rowlock/core/driver';
import {
  CompiledQuery,
  Kysely,
  type KyselyConfig,
  MysqlDialect,
  PostgresDialect,
  type Transaction,
} from 'kysely';
import { adapted, type Database, noneOf } from './adapted.js';
import { clientOf } from './client.js';
import type { Handle } from './handle.js';
import { MysqlConnection } from './mysql-connection.js';
import type { PostgresClient } from './postgres-client.js';
import { streamRefused } from './refused-stream.js';

const OVER = /already (?:committed|rolled back)/;

/**
 * A transaction of Kysely's, for the calls of Rowlock that take a `tx`. No plugin sees its statements.
 *
 * @throws InvalidInputError for anything else, as the database object
 *
 * @example
 * await db.transaction().execute(async (trx) => {
 *   await trx.insertInto('orders').values({ id: 7 }).execute();
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromKysely(trx) });
 * });
 */
export function fromKysely<Tables>(trx: Transaction<Tables>): AdaptedTransaction {
  if (Object(trx).isTransaction !== true || typeof trx.executeQuery !== 'function')
    throw noneOf(
      'fromKysely',
      'the trx of db.transaction().execute(async (trx) => …), or of db.startTransaction(), and not the db itself',
    );
  return kyselyTransaction('fromKysely', trx, trx);
}

/** @param own What stands for the transaction: the same for all calls on it. */
export function kyselyTransaction<Tables>(
  name: string,
  own: object,
  trx: Transaction<Tables>,
): AdaptedTransaction {
  const plain = trx.withoutPlugins();
  return adapted(
    own,
    { name, database: databaseOf(plain) },
    async (text, values) => {
      const query = CompiledQuery.raw(text, values);
      const { rows, numAffectedRows, insertId } = await plain.executeQuery(query);
      // On MySQL an id of 0 is left out.
      return numAffectedRows === undefined
        ? { rows }
        : { rows, affectedRows: numAffectedRows, insertId: insertId ?? 0 };
    },
    (error) => OVER.test(String(Object(error).message)),
  );
}

/** By the quotes of names: a dialect has no name. */
function databaseOf<Tables>(trx: Transaction<Tables>): Database {
  const { sql } = trx.selectNoFrom(({ lit }) => lit(1).as('one')).compile();
  return sql.includes('`') ? 'mysql' : 'postgres';
}

/**
 * The transaction of a handler as Kysely's database object. Its `transaction()` is a savepoint.
 *
 * @param config As of `new Kysely`: plugins, a log.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const db = onKysely<Database>(tx);
 */
export function onKysely<Tables>(tx: Handle, config: Omit<KyselyConfig, 'dialect'> = {}): Kysely<Tables> {
  return onClient(clientOf('onKysely', tx), config);
}

export function onClient<Tables>(
  client: PostgresClient | MysqlConnection,
  config: Omit<KyselyConfig, 'dialect'> = {},
): Kysely<Tables> {
  const dialect =
    client instanceof MysqlConnection
      ? new MysqlDialect({
          pool: {
            getConnection: (done) => done(null, Object(client)),
            end: (done) => done(null),
          },
        })
      : new PostgresDialect({
          pool: { connect: async () => Object(client), end: async () => {}, options: {} },
          cursor: Object(function refuse() {
            throw streamRefused();
          }),
        });
  return new Kysely<Tables>({ ...config, dialect });
}
