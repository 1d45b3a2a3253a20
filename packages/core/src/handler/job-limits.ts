import { InvalidInputError } from '../errors.js';
import type { Json, Stored } from '../job/json.js';
import { type Limit, limitsText } from '../job/limits.js';

/**
 * How many runs of a name may go on at once, in all processes together. A function is called at the enqueue, with the
 * payload as JSON, so that each tenant, for example, may have a limit of its own.
 *
 * @example
 * limit: { name: 'google', max: 5 }
 *
 * @example
 * limit: ({ payload }) => [{ name: 'mail', max: 20 }, { name: `mail of ${payload.tenant}`, max: 2 }]
 */
export type LimitRule<Payload> =
  | OneOrMore<Limit>
  | ((job: LimitedJob<Payload>) => OneOrMore<Limit> | undefined);

/** A rule for a payload of any type. */
export type AnyLimitRule = OneOrMore<Limit> | ((job: never) => OneOrMore<Limit> | undefined);

type OneOrMore<One> = One | readonly One[];

/** A job, as a limit's function sees it at the enqueue. */
export interface LimitedJob<Payload> {
  readonly payload: Stored<Payload>;
  readonly key: string | null;
}

/**
 * The limits of a new job, whose payload the handler's schema has accepted.
 *
 * @throws InvalidInputError when the rule returns no limits; whatever its function throws.
 */
export function limitsOfJob(
  { kind, limit }: { readonly kind: string; readonly limit?: AnyLimitRule | undefined },
  payload: Json,
  key: string | null,
): readonly Limit[] {
  if (limit === undefined) return [];
  if (typeof limit !== 'function') return listed(kind, limit);
  // The handler's schema has accepted the payload.
  const rule: (job: { readonly payload: Json; readonly key: string | null }) => unknown = Object(limit);
  return listed(kind, rule({ payload, key }));
}

/** @throws InvalidInputError */
export function checkLimitRule(kind: string, limit: unknown): void {
  if (limit !== undefined && typeof limit !== 'function') limitsText(listed(kind, limit));
}

function listed(kind: string, given: unknown): readonly Limit[] {
  if (given === undefined) return [];
  const limits: readonly unknown[] = Array.isArray(given) ? given : [given];
  return limits.map((limit) => {
    const { name, max } = Object(limit);
    if (name === undefined || max === undefined)
      throw new InvalidInputError(
        `limit of the handler of ${JSON.stringify(kind)} must be { name, max }, a list of these, or a function that returns them.`,
      );
    return { name, max };
  });
}
