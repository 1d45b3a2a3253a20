import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { Knex } from 'knex';
import { adapted, noneOf, type Value } from './adapted.js';
import { standingClientOf } from './client.js';
import type { Handle } from './handle.js';
import { mysqlResult } from './mysql-result.js';
import { piecesOf } from './placeholders.js';

/**
 * A transaction of Knex', for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as the knex itself
 *
 * @example
 * await knex.transaction(async (trx) => {
 *   await trx('orders').insert({ id: 7 });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromKnex(trx) });
 * });
 */
export function fromKnex(trx: Knex.Transaction): AdaptedTransaction {
  if (Object(trx).isTransaction !== true || typeof Object(trx).isCompleted !== 'function')
    throw noneOf('fromKnex', 'the trx of knex.transaction(async (trx) => …), and not the knex itself');
  const isOver = (): boolean => trx.isCompleted();
  if (/^mysql/.test(dialectOf(trx)))
    return adapted(
      trx,
      { name: 'fromKnex', database: 'mysql' },
      async (text, values) => {
        const [result]: readonly unknown[] = await trx.raw(text, [...values]);
        return mysqlResult(result);
      },
      isOver,
    );
  return adapted(
    trx,
    { name: 'fromKnex', database: 'postgres' },
    async (text, values) => {
      const given = questioned(text, values);
      return trx.raw(given.text, [...given.values]);
    },
    isOver,
  );
}

function dialectOf(knex: Knex): string {
  return String(Object(knex.client).config?.client);
}

/** With the placeholders of Knex. A question mark of the statement itself has a backslash. */
function questioned(text: string, given: readonly Value[]): { text: string; values: readonly Value[] } {
  const { texts, values } = piecesOf('postgres', text, given);
  return { text: texts.map((each) => each.replaceAll('?', '\\?')).join('?'), values };
}

/**
 * The transaction of a handler as one of Knex'. Its `transaction()` is a savepoint. It needs no commit.
 *
 * @param knex Of the same database. It gives its settings, and no connection of its pool.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const trx = await onKnex(tx, knex);
 */
export async function onKnex(tx: Handle, knex: Knex): Promise<Knex.Transaction> {
  return knex.transaction({ connection: standingClientOf('onKnex', tx) });
}
