import type { DeclaredLimits } from '../admission/limit.js';
import { checkAttempts } from '../input.js';
import { checkOptions } from '../known-options.js';
import { type AnyHandler, type HandlerDefaults, policyOf, RETRY_OPTIONS } from './handler.js';
import { checkOnFailed } from './on-failed.js';

const OPTIONS = ['attempts', 'retry', 'timeout', 'onInvalidPayload', 'onFailed'] as const;

/** What a program says of all jobs that it enqueues. */
export interface Declared {
  /** The limits that plugins declare. */
  readonly limits?: DeclaredLimits;
  /** The attempts of a job whose handler does not say how many. */
  readonly attempts?: number | undefined;
}

/** @throws InvalidInputError */
export function checkDefaults(defaults: HandlerDefaults): void {
  checkOptions('defaults of createRowlock()', defaults, OPTIONS);
  checkOptions('retry of the defaults', defaults.retry ?? {}, RETRY_OPTIONS);
  checkOnFailed({ kind: 'defaults', onFailed: defaults.onFailed });
  if (defaults.attempts !== undefined) checkAttempts(defaults.attempts);
  policyOf(defaults);
}

/** A handler as workers of the program run it. The handler that all failures lead to has no follower by default. */
export function withDefaults<Tx>(handler: AnyHandler<Tx>, defaults: HandlerDefaults): AnyHandler<Tx> {
  const { kind, own } = handler;
  const onFailed = own.onFailed ?? (defaults.onFailed?.kind === kind ? undefined : defaults.onFailed);
  return {
    ...handler,
    ...policyOf({
      retry: own.retry ?? defaults.retry,
      timeout: own.timeout ?? defaults.timeout,
      onInvalidPayload: own.onInvalidPayload ?? defaults.onInvalidPayload,
      onFailed,
    }),
  };
}
