import type { EntityManager } from '@mikro-orm/core';
import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { ControlledTransaction } from 'kysely';
import { claimsOwn, noneOf } from './adapted.js';
import { standingClientOf } from './client.js';
import type { Handle } from './handle.js';
import { kyselyTransaction, onClient } from './kysely.js';

/**
 * A transaction of MikroORM's, for the calls of Rowlock that take a `tx`. What the entity manager has not flushed yet is
 * written at its commit, after the jobs.
 *
 * @param em The entity manager of a transaction.
 * @throws InvalidInputError for anything else, as an entity manager outside of a transaction
 *
 * @example
 * await em.transactional(async (em) => {
 *   em.create(Order, { id: 7 });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromMikroORM(em) });
 * });
 */
export function fromMikroORM(em: EntityManager): AdaptedTransaction {
  const context: unknown = Object(em).getTransactionContext?.();
  if (!isKysely(context))
    throw noneOf(
      'fromMikroORM',
      'the em of em.transactional(async (em) => …), or one after em.begin(), of MikroORM 7 on Postgres or MySQL',
    );
  return kyselyTransaction('fromMikroORM', context, context);
}

function isKysely(context: unknown): context is ControlledTransaction<unknown> {
  return Object(context).isTransaction === true && typeof Object(context).executeQuery === 'function';
}

/**
 * The transaction of a handler as an entity manager of MikroORM's, a fork with an identity map of its own. Its
 * `transactional()` is a savepoint. What it has not flushed when the handler ends is not written.
 *
 * @param em Of the same database. It gives its entities, and no connection of its pool.
 * @throws InvalidInputError for anything but a handler's `tx`
 *
 * @example
 * const fork = await onMikroORM(tx, em);
 */
export async function onMikroORM<Manager extends EntityManager>(tx: Handle, em: Manager): Promise<Manager> {
  const kysely = onClient<unknown>(standingClientOf('onMikroORM', tx));
  const fork: Manager = Object(em.fork());
  fork.setTransactionContext(await kysely.startTransaction().execute());
  // MikroORM would begin on another connection, and what follows would be committed there.
  const refuse = async (): Promise<never> => {
    throw claimsOwn('onMikroORM', 'transactional()');
  };
  return Object.assign(fork, { begin: refuse, commit: refuse, rollback: refuse });
}
