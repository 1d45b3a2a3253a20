import { type FactoryProvider, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { InvalidInputError } from '@rowlock/core';

/**
 * The token of the run's transaction, its `tx`, for a service that is built for each run. A service that injects it is
 * request-scoped, and so is the handler that injects the service.
 */
export const TRANSACTION = Symbol.for('rowlock.transaction');

export const transaction: FactoryProvider<unknown> = {
  provide: TRANSACTION,
  scope: Scope.REQUEST,
  inject: [REQUEST],
  useFactory(request: unknown) {
    const { runId, tx } = Object(request);
    if (typeof runId === 'string') return tx;
    throw new InvalidInputError(
      "TRANSACTION is that of a run, and this service was built for a request of another kind. Pass the service the transaction as a method's argument where both call it.",
    );
  },
};
