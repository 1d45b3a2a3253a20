import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { adapted, type Database, noneOf } from './adapted.js';
import { clientOf } from './client.js';
import type { Handle } from './handle.js';
import { mysqlResult } from './mysql-result.js';

const DATABASES: Readonly<Record<string, Database>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/**
 * A transaction of TypeORM's, for the calls of Rowlock that take a `tx`.
 *
 * @param own The manager of a transaction, or a query runner on which one has begun.
 * @throws InvalidInputError for anything else, as the manager of the data source
 *
 * @example
 * await dataSource.transaction(async (manager) => {
 *   await manager.insert(Order, { id: 7 });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromTypeORM(manager) });
 * });
 */
export function fromTypeORM(own: EntityManager | QueryRunner): AdaptedTransaction {
  const runner = runnerOf(own);
  if (runner?.isTransactionActive !== true)
    throw noneOf(
      'fromTypeORM',
      'the manager of dataSource.transaction(async (manager) => …), or a query runner on which a transaction has begun, and not the manager of a data source',
    );
  const database = DATABASES[runner.dataSource.options.type];
  if (database === undefined) throw noneOf('fromTypeORM', 'a transaction on Postgres or MySQL');
  return adapted(
    runner,
    { name: 'fromTypeORM', database },
    async (text, values) => {
      try {
        const { raw } = await runner.query(text, values, true);
        return database === 'postgres' ? raw : mysqlResult(raw);
      } catch (error) {
        throw Object(error).driverError ?? error;
      }
    },
    () => !runner.isTransactionActive || runner.isReleased,
  );
}

function runnerOf(own: EntityManager | QueryRunner): QueryRunner | undefined {
  const { queryRunner } = Object(own);
  return queryRunner ?? (typeof Object(own).startTransaction === 'function' ? Object(own) : undefined);
}

/**
 * The transaction of a handler as a manager of TypeORM's. Its `transaction()` is a savepoint.
 *
 * @param dataSource Of the same database. It gives its entities, and no connection of its pool.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const manager = onTypeORM(tx, dataSource);
 */
export function onTypeORM(tx: Handle, dataSource: DataSource): EntityManager {
  const client = clientOf('onTypeORM', tx);
  const runner = dataSource.createQueryRunner();
  // What the runner sends goes to the connection that this gives. There is nothing to release.
  runner.connect = async () => client;
  return runner.manager;
}
