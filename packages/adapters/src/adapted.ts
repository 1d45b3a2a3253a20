import { InvalidInputError } from '@rowlock/core';
import type { AdaptedTransaction } from '@rowlock/core/driver';
import { noTransaction } from '@rowlock/sql-drivers';

export type Database = 'postgres' | 'mysql';

/** A value as Rowlock sends it. */
export type Value = string | number | null;

/** The adapted transactions, by those of the ORMs. A driver keeps what it finds out of each. */
const made = new WeakMap<object, AdaptedTransaction>();

/**
 * An ORM's transaction as Rowlock takes it.
 *
 * @param isOver Whether the ORM itself says that the transaction has ended, by its state or by an error.
 */
export function adapted(
  own: object,
  adapter: NonNullable<AdaptedTransaction['adapter']>,
  query: (text: string, values: Value[], database?: Database) => PromiseLike<unknown>,
  isOver: (error?: unknown) => boolean = () => false,
): AdaptedTransaction {
  const known = made.get(own);
  if (known !== undefined) return known;
  const adaptedTransaction: AdaptedTransaction = {
    adapter,
    async query(text, values, database) {
      if (isOver()) throw noTransaction();
      // The driver checks the form of the answer.
      try {
        return Object(await query(text, values, database));
      } catch (error) {
        throw isOver(error) ? noTransaction() : error;
      }
    },
  };
  made.set(own, adaptedTransaction);
  return adaptedTransaction;
}

/** The error for what is no transaction of an ORM. @param wanted What to pass instead. */
export function noneOf(name: string, wanted: string): InvalidInputError {
  return new InvalidInputError(`${name}() takes ${wanted}.`);
}

/** The error for a begin or an end of what is the claim's own transaction. @param nested What is a savepoint instead */
export function claimsOwn(name: string, nested: string): InvalidInputError {
  return new InvalidInputError(
    `What ${name}() gives is in the claim's transaction, which Rowlock itself begins, and commits, or rolls back when your code throws. For a part that can be undone alone, use its ${nested}, which is a savepoint.`,
  );
}
