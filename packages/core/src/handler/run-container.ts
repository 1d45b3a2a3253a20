// tsyringe refuses to load without this. Loaded here, as only handlers that are classes use a container.
import 'reflect-metadata';
import { type DependencyContainer, type InjectionToken, container as root } from 'tsyringe';
import type { HandlerClass, RunContext, RunFunction } from './handler.js';

/** The token of the claim's open transaction, for a class that is built for a run. */
export const TRANSACTION: InjectionToken<unknown> = Symbol.for('rowlock.transaction');

/** The token of the run's context, for a class that is built for a run. */
export const RUN: InjectionToken<RunContext<unknown>> = Symbol.for('rowlock.run');

/** A handler's object, for one run. */
export interface BuiltHandler<Tx, Payload = unknown> {
  readonly run: RunFunction<Payload, Tx>;
  dispose(): Promise<void>;
}

/**
 * Builds a handler's class in a container of this run's own. `TRANSACTION` and `RUN` are registered there and nowhere
 * else. So a repository that is injected into the handler writes in the claim's own transaction.
 */
export function buildHandler<Payload, Tx>(
  use: HandlerClass<Payload, Tx>,
  context: RunContext<Payload, Tx>,
  parent: DependencyContainer = root,
): BuiltHandler<Tx, Payload> {
  const container = parent.createChildContainer();
  container.register(TRANSACTION, { useValue: context.tx });
  container.register(RUN, { useValue: context });
  const handler = container.resolve(use);
  return {
    run: (given) => handler.run(given),
    dispose: async () => void (await container.dispose()),
  };
}
