import type { AdaptedTransaction } from '@rowlock/core/driver';
import { adapted, noneOf } from './adapted.js';
import { returnsRows } from './returns-rows.js';

/** What is read of a transaction of Bun's SQL. The `sql` of a pool has no savepoints. */
export interface BunTransaction {
  readonly options: object;
  unsafe(text: string, values?: unknown[]): PromiseLike<unknown>;
  savepoint(...given: never[]): unknown;
}

const OVER = /_INVALID_TRANSACTION_STATE$/;

/**
 * A transaction of Bun's SQL on Postgres or MySQL, for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as the `sql` of the pool
 *
 * @example
 * await sql.begin(async (tx) => {
 *   await tx`INSERT INTO orders (id) VALUES (7)`;
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromBun(tx) });
 * });
 */
export function fromBun(tx: BunTransaction): AdaptedTransaction {
  if (typeof Object(tx).unsafe !== 'function' || typeof Object(tx).savepoint !== 'function')
    throw noneOf('fromBun', 'the tx of sql.begin(async (tx) => …), and not the sql of the pool');
  const { adapter } = Object(tx.options);
  if (adapter !== 'postgres' && adapter !== 'mysql' && adapter !== 'mariadb')
    throw noneOf('fromBun', 'a transaction on Postgres or MySQL');
  const database = adapter === 'postgres' ? 'postgres' : 'mysql';
  return adapted(
    tx,
    { name: 'fromBun', database },
    async (text, values) => {
      try {
        const result = await tx.unsafe(text, values);
        if (returnsRows(text)) return { rows: result };
        const { affectedRows, lastInsertRowid } = Object(result);
        return { rows: [], affectedRows, insertId: lastInsertRowid };
      } catch (error) {
        throw serversError(error);
      }
    },
    (error) => OVER.test(String(Object(Object(error).cause ?? error).code)),
  );
}

/** Bun has the server's own code beside its own one. */
function serversError(error: unknown): unknown {
  const { errno, severity, routine, message } = Object(error);
  if (typeof errno !== 'string') return error;
  return Object.assign(new Error(String(message), { cause: error }), { code: errno, severity, routine });
}
