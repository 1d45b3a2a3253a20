import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AnyLimitRule } from '../admission/limit.js';
import { InvalidInputError } from '../errors.js';
import { checkName } from '../input.js';
import { type Codec, checkCodec } from './codec.js';

/** The default queue of a handler. */
export const QUEUE = 'default';

/** The default number of attempts of a handler's jobs. */
export const ATTEMPTS = 5;

/**
 * The part of a handler that an enqueue needs: the handler itself, or, in a program without its code, an object that
 * both programs share.
 *
 * @example
 * export const greet = { kind: 'greet', payload: z.object({ name: z.string() }) };
 * const Greet = defineHandler({ ...greet, run: ({ job }) => hello(job.payload.name) }); // where the worker is
 * await rowlock.enqueue(greet, { payload: { name: 'Ada' } }); // elsewhere
 */
export interface Enqueueable<Schema extends StandardSchemaV1 = StandardSchemaV1, Output = unknown> {
  readonly kind: string;
  /** The handler's. Default `default`. */
  readonly queue?: string;
  readonly payload: Schema;
  /** The handler's, 1 to 1,000. Default: that of the program which enqueues, or 5. */
  readonly attempts?: number | undefined;
  /** The handler's. Default: none. */
  readonly limit?: AnyLimitRule | undefined;
  /** The handler's. Default: none. */
  readonly codec?: Codec | undefined;
  /** For the compiler alone: a handler has the type of its output here. */
  readonly types?: { readonly output: Output };
}

/** @throws InvalidInputError */
export function checkEnqueueable(given: Enqueueable): void {
  if (typeof given !== 'object' || given === null)
    throw new InvalidInputError(
      'The first argument is a handler, or { kind, payload } with the schema of the payload.',
    );
  const { kind, queue, payload } = given;
  checkName('kind', kind);
  if (queue !== undefined) checkName('queue', queue);
  checkSchema(kind, payload);
  checkCodec(given);
}

/** @throws InvalidInputError */
export function checkSchema(kind: string, payload: StandardSchemaV1): void {
  if (typeof payload?.['~standard']?.validate === 'function') return;
  throw new InvalidInputError(
    `The payload of ${JSON.stringify(kind)} must be a Standard Schema, e.g. of zod.`,
  );
}
