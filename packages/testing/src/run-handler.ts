import { checkOptions, type Handler, InvalidInputError } from '@rowlock/core';
import { type AnyHandler, checkWhole } from '@rowlock/core/driver';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { HandlerRun, RunHandlerOptions } from './handler-run.js';
import { Trial } from './trial.js';

const OPTIONS: readonly string[] = [
  'tx',
  'rowlock',
  'key',
  'metadata',
  'attempt',
  'group',
  'tick',
  'resolve',
  'defaults',
  'signal',
  'log',
] satisfies (keyof RunHandlerOptions)[];

/**
 * Runs a handler's code once, as a worker does: its schema checks the payload, its timeout counts, and what it returns or
 * throws is the outcome that a worker would write. The job itself is in memory, so no database is needed but for `tx`.
 *
 * @throws InvalidPayloadError when the schema refuses the payload; InvalidInputError
 * @example
 * const { outcome, output, enqueued } = await runHandler(Confirm, { order: 7 }, { tx });
 */
export async function runHandler<Schema extends StandardSchemaV1, Tx, Output>(
  handler: Handler<Schema, Tx, Output>,
  payload: StandardSchemaV1.InferInput<Schema>,
  options: RunHandlerOptions<Tx, StandardSchemaV1.InferInput<Schema>> = {},
): Promise<HandlerRun<Output>> {
  check(handler, options);
  const trial = new Trial(handler, options);
  try {
    await trial.enqueue([payload, ...(options.group ?? [])]);
    await trial.failBefore(options.attempt ?? 1);
    await trial.run();
    const [first, ...others] = await trial.jobs(handler);
    if (first === undefined) throw new Error('The job that was run is not there.');
    const { progress, enqueued } = trial;
    return { ...first, jobs: [first, ...others], progress, enqueued };
  } finally {
    await trial.close();
  }
}

/** @throws InvalidInputError */
function check<Tx>(handler: AnyHandler<Tx>, options: RunHandlerOptions<Tx>): void {
  checkOptions('runHandler()', options, OPTIONS);
  const { attempt = 1, group = [], key, resolve } = options;
  if (Object(handler).code === undefined)
    throw new InvalidInputError('runHandler() takes a handler that defineHandler() made.');
  checkWhole('attempt', attempt, 1, 1_000);
  if (group.length > 0 && (key === undefined || handler.groupMax <= group.length))
    throw new InvalidInputError('group needs a key, and a handler whose `group` takes so many jobs.');
  if ('use' in handler.code && resolve === undefined)
    throw new InvalidInputError(
      `The handler is the class ${handler.code.use.name}: give runHandler() the resolve of your createRowlock().`,
    );
}
