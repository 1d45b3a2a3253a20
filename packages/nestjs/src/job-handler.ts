import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { defineHandler, type HandlerOptions, InvalidInputError, type RunContext } from '@rowlock/core';
import type { AnyHandler, HandlerClass, Returnable } from '@rowlock/core/types';
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The class's metadata. Two copies of this package share it. */
const HANDLER = 'rowlock:handler';

/**
 * The argument of `run`, in the handler of a definition.
 *
 * @example
 * async run({ job, tx }: RunOf<typeof ConfirmOrder, PostgresTransaction>) {}
 */
export type RunOf<Definition extends { readonly payload: StandardSchemaV1 }, Tx = unknown> = RunContext<
  StandardSchemaV1.InferOutput<Definition['payload']>,
  Tx
>;

/**
 * Makes a provider the handler of a kind: its method `run` runs the jobs. Nest builds the class, so it injects whatever it
 * needs. List it in the `providers` of one module.
 *
 * @param definition What `defineHandler` takes beside its code. As an object in a file of its own it is what producers
 * pass to `rowlock.enqueue`, so that they import neither the class nor its services.
 * @throws InvalidInputError when an option is of the wrong form, or the class has no method `run`, or is a handler already.
 * @example
 * @JobHandler(ConfirmOrder)
 * export class OrderConfirmer {
 *   constructor(private readonly mails: Mails) {}
 *   run({ job }: RunOf<typeof ConfirmOrder>) { return this.mails.confirm(job.payload.order); }
 * }
 */
export function JobHandler<Schema extends StandardSchemaV1>(
  definition: HandlerOptions<Schema>,
): <Result>(
  use: HandlerClass<StandardSchemaV1.InferOutput<Schema>, never, Result & Returnable<Result>>,
) => void {
  return <Result>(
    use: HandlerClass<StandardSchemaV1.InferOutput<Schema>, never, Result & Returnable<Result>>,
  ) => {
    if (typeof use.prototype.run !== 'function')
      throw new InvalidInputError(
        `The class ${use.name} is a handler, and so needs a method run(context), which runs the jobs.`,
      );
    const handler = defineHandler<Schema, Result, never>({ ...definition, use });
    if (handlerOf(new Reflector(), use) !== undefined)
      throw new InvalidInputError(
        `The class ${use.name} has two @JobHandler: its run is the code of one kind. Give the other kind a class of its own.`,
      );
    SetMetadata(HANDLER, handler)(use);
  };
}

/** The handler that a class was made by `@JobHandler`. Undefined for a class that only inherits from one. */
export function handlerOf<Tx>(reflector: Reflector, use: NewableFunction): AnyHandler<Tx> | undefined {
  const handler = reflector.get<AnyHandler<Tx> | undefined>(HANDLER, use);
  return handler !== undefined && 'use' in handler.code && handler.code.use === use ? handler : undefined;
}
