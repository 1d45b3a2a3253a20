import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Limit } from '../admission/limit.js';
import { InvalidInputError } from '../errors.js';
import type { Capture } from './capture.js';
import { type ChangeOf, changeSchema } from './change.js';

/** What a handler of captured jobs begins with. */
export interface CapturedJob<Captured extends Capture> {
  readonly kind: string;
  readonly queue: string;
  readonly attempts: number;
  readonly limit?: Limit | readonly Limit[];
  readonly payload: StandardSchemaV1<ChangeOf<Captured>, ChangeOf<Captured>>;
}

/**
 * The kind, the queue and the payload's schema of captures, for the handler of their jobs. Several captures must agree
 * on all but their tables.
 *
 * @throws InvalidInputError when they do not agree.
 * @example
 * const Index = defineHandler({ ...capturedJob(orders, items), group: true, run: ({ key, tx }) => index(tx, key) });
 */
export function capturedJob<const Captured extends readonly [Capture, ...Capture[]]>(
  ...captures: Captured
): CapturedJob<Captured[number]> {
  const [first] = captures;
  if (typeof first?.plan !== 'object')
    throw new InvalidInputError('capturedJob takes what defineCapture returns.');
  const { kind, queue, maxAttempts } = first.plan.job;
  for (const { name, plan } of captures) {
    const { job } = plan;
    const differs = (['kind', 'queue', 'maxAttempts', 'limits'] as const).find(
      (part) => job[part] !== first.plan.job[part],
    );
    if (differs !== undefined)
      throw new InvalidInputError(
        `The captures ${JSON.stringify(first.name)} and ${JSON.stringify(name)} have one handler, so both need the same ${WORDS[differs]}.`,
      );
  }
  return {
    kind,
    queue,
    attempts: maxAttempts,
    ...first.options,
    payload: changeSchema<Captured[number]>(captures),
  };
}

const WORDS = { kind: 'kind', queue: 'queue', maxAttempts: 'attempts', limits: 'limit' } as const;
