import { InvalidInputError } from '../errors.js';
import type { AnyHandler, HandlerClass, RunContext, RunFunction } from './handler.js';

/** Builds a handler's class for one run, in whatever container the program has. */
export type Resolve<Tx> = (
  use: HandlerClass<unknown, Tx>,
  context: RunContext<unknown, Tx>,
) => Resolved<Tx> | Promise<Resolved<Tx>>;

/** A handler's object, for one run. */
export interface Resolved<Tx> {
  readonly handler: { run: RunFunction<unknown, Tx> };
  /** Is called when the run has ended, however it ended. The settlement waits for it. */
  dispose?(): unknown;
}

/** What builds classes in a program that has no `resolve`. */
export function unresolved<Tx>({ name }: HandlerClass<unknown, Tx>): never {
  throw new InvalidInputError(
    `The class ${name} is a handler, and something has to build it: give createRowlock { resolve: tsyringe() } of ` +
      '@rowlock/core/tsyringe, or a function that calls your own container.',
  );
}

/** @throws InvalidInputError when a handler is a class and nothing builds it. */
export function checkResolve<Tx>(handlers: readonly AnyHandler<Tx>[], resolve: Resolve<Tx>): void {
  if (typeof resolve !== 'function')
    throw new InvalidInputError('resolve must be a function, which builds the classes of handlers.');
  for (const { code } of handlers) if ('use' in code && resolve === unresolved) unresolved(code.use);
}
