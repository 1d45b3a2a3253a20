import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { Sequelize, Transaction } from 'sequelize';
import { adapted, type Database, noneOf, type Value } from './adapted.js';
import { mysqlResult } from './mysql-result.js';
import { piecesOf } from './placeholders.js';

const DATABASES: Readonly<Record<string, Database>> = { postgres: 'postgres', mysql: 'mysql' };

/** Sequelize reads what kind of statement it is from the first word, and then keeps a part of the answer to itself. */
const WITHOUT_A_KIND = '/* rowlock */ ';

const OVER = /has been called on this transaction/;

/**
 * A transaction of Sequelize's, for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as no transaction
 *
 * @example
 * await sequelize.transaction(async (transaction) => {
 *   await Order.create({ id: 7 }, { transaction });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromSequelize(transaction, sequelize) });
 * });
 */
export function fromSequelize(transaction: Transaction, sequelize: Sequelize): AdaptedTransaction {
  const { commit, rollback } = Object(transaction);
  if (
    typeof commit !== 'function' ||
    typeof rollback !== 'function' ||
    typeof Object(sequelize).query !== 'function'
  )
    throw noneOf(
      'fromSequelize',
      'the transaction of sequelize.transaction(async (transaction) => …), and its sequelize',
    );
  const database = DATABASES[sequelize.getDialect()];
  if (database === undefined) throw noneOf('fromSequelize', 'a transaction of the dialect postgres or mysql');
  return adapted(
    transaction,
    { name: 'fromSequelize', database },
    async (text, values) => {
      try {
        const given = bound(database, text, values);
        const [rows, result] = await sequelize.query(`${WITHOUT_A_KIND}${given.text}`, {
          ...(given.values.length > 0 && { bind: [...given.values] }),
          transaction,
        });
        return database === 'postgres' ? rows : mysqlResult(result);
      } catch (error) {
        throw Object(error).original ?? error;
      }
    },
    (error) => OVER.test(String(Object(error).message)),
  );
}

/** With the placeholders of Sequelize, `$1` on each database. A dollar of the statement itself is doubled where there are values. */
function bound(
  database: Database,
  text: string,
  given: readonly Value[],
): { text: string; values: readonly Value[] } {
  if (given.length === 0) return { text, values: [] };
  const { texts, values } = piecesOf(database, text, given);
  const dollars = texts.map((each) => each.replaceAll(/\$(?=\$|\w)/g, '$$$$'));
  return { text: dollars.reduce((sent, each, place) => `${sent}$${place}${each}`), values };
}
