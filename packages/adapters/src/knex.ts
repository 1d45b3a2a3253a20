import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { Knex } from 'knex';
import { adapted, claimsOwn, noneOf, type Value } from './adapted.js';
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
        try {
          const [result]: readonly unknown[] = await trx.raw(text, [...values]);
          return mysqlResult(result);
        } catch (error) {
          throw withMessage(error, Object(error).sqlMessage);
        }
      },
      isOver,
    );
  return adapted(
    trx,
    { name: 'fromKnex', database: 'postgres' },
    async (text, values) => {
      const given = questioned(text, values);
      try {
        return await trx.raw(given.text, [...given.values]);
      } catch (error) {
        throw withMessage(error, behind(given.end, Object(error).message));
      }
    },
    isOver,
  );
}

function dialectOf(knex: Knex): string {
  return String(Object(knex.client).config?.client);
}

/**
 * With the placeholders of Knex. A question mark of the statement itself has a backslash. The end is that of the statement as Knex
 * sends it.
 */
function questioned(
  text: string,
  given: readonly Value[],
): { readonly text: string; readonly values: readonly Value[]; readonly end: string } {
  const { texts, values } = piecesOf('postgres', text, given);
  const end = `${values.length === 0 ? '' : `$${values.length}`}${texts.at(-1)}`;
  return { text: texts.map((each) => each.replaceAll('?', '\\?')).join('?'), values, end };
}

/** The server's own message. Knex puts the statement ahead of it, on MySQL with the values. @param end Of the statement */
function behind(end: string, message: unknown): unknown {
  const separator = `${end} - `;
  const place = String(message).indexOf(separator);
  return place === -1 ? message : String(message).slice(place + separator.length);
}

function withMessage(error: unknown, message: unknown): unknown {
  return typeof message === 'string' ? Object.assign(Object(error), { message }) : error;
}

/**
 * The transaction of a handler as one of Knex'. Its `transaction()` is a savepoint. It needs no commit, and refuses one.
 *
 * @param knex Of the same database. It gives its settings, and no connection of its pool.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const trx = await onKnex(tx, knex);
 */
export async function onKnex(tx: Handle, knex: Knex): Promise<Knex.Transaction> {
  const trx = await knex.transaction({ connection: standingClientOf('onKnex', tx) });
  // Knex itself would take the refusal of the COMMIT, or of the ROLLBACK, for its end.
  const refuse = async (): Promise<never> => {
    throw claimsOwn('onKnex', 'transaction()');
  };
  return Object.assign(trx, { commit: refuse, rollback: refuse });
}
