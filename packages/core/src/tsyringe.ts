// tsyringe refuses to load without this.
import 'reflect-metadata';
import { type DependencyContainer, type InjectionToken, container as root } from 'tsyringe';
import type { RunContext } from './handler/handler.js';
import type { Resolve } from './handler/resolve.js';

/** The token of the claim's open transaction, for a class that is built for a run. */
export const TRANSACTION: InjectionToken<unknown> = Symbol.for('rowlock.transaction');

/** The token of the run's context, for a class that is built for a run. */
export const RUN: InjectionToken<RunContext<unknown>> = Symbol.for('rowlock.run');

/**
 * Builds the classes of handlers with tsyringe, each in a container of its run's own. `TRANSACTION` and `RUN` are
 * registered there and nowhere else, so that a repository that is injected writes in the claim's own transaction.
 *
 * @param parent The container from which those of the runs descend. Default: tsyringe's root.
 * @example
 * const rowlock = createRowlock({ driver, handlers: [Count], resolve: tsyringe() });
 */
export function tsyringe<Tx>(parent: DependencyContainer = root): Resolve<Tx> {
  return (use, context) => {
    const container = parent.createChildContainer();
    container.register(TRANSACTION, { useValue: context.tx });
    container.register(RUN, { useValue: context });
    return { handler: container.resolve(use), dispose: () => container.dispose() };
  };
}
