import { InvalidInputError } from '../errors.js';
import { checkName } from '../input.js';
import type { Json, Stored } from '../job/json.js';
import { type Limit, limitsText } from '../job/limits.js';

/**
 * How many runs of a name may go on at once, in all processes together. A function is called at the enqueue, with the
 * payload as JSON, so that each tenant, for example, may have a limit of its own. A name alone is of a limit whose size
 * a plugin declares.
 *
 * @example
 * limit: { name: 'google', max: 5 }
 *
 * @example
 * limit: ({ payload }) => [{ name: 'mail', max: 20 }, { name: `mail of ${payload.tenant}`, max: 2 }]
 */
export type LimitRule<Payload> =
  | OneOrMore<Limit | string>
  | ((job: LimitedJob<Payload>) => OneOrMore<Limit | string> | undefined);

/** A rule for a payload of any type. */
export type AnyLimitRule =
  | OneOrMore<Limit | string>
  | ((job: never) => OneOrMore<Limit | string> | undefined);

/** The sizes of limits that plugins declare, by name. */
export type DeclaredSizes = ReadonlyMap<string, number>;

const NO_SIZES: DeclaredSizes = new Map();

type OneOrMore<One> = One | readonly One[];

/** A job, as a limit's function sees it at the enqueue. */
export interface LimitedJob<Payload> {
  readonly payload: Stored<Payload>;
  readonly key: string | null;
}

/**
 * The limits of a new job, whose payload the handler's schema has accepted.
 *
 * @throws InvalidInputError when the rule returns no limits, or the name of one without a size; whatever its function
 * throws.
 */
export function limitsOfJob(
  { kind, limit }: { readonly kind: string; readonly limit?: AnyLimitRule | undefined },
  payload: Json,
  key: string | null,
  sizes = NO_SIZES,
): readonly Limit[] {
  if (limit === undefined) return [];
  if (typeof limit !== 'function') return listed(kind, limit, sizes);
  // The handler's schema has accepted the payload.
  const rule: (job: { readonly payload: Json; readonly key: string | null }) => unknown = Object(limit);
  return listed(kind, rule({ payload, key }), sizes);
}

/** Leaves open whether the limits that have a name alone have a size. @throws InvalidInputError */
export function checkLimitRule(kind: string, limit: unknown): void {
  if (limit !== undefined && typeof limit !== 'function') limitsText(listed(kind, limit, null));
}

/** @throws InvalidInputError when a limit that is no function names one without a size. */
export function checkSizes({ kind, limit }: Parameters<typeof limitsOfJob>[0], sizes: DeclaredSizes): void {
  if (typeof limit !== 'function') listed(kind, limit, sizes);
}

/** @param sizes Null while they are not known. */
function listed(kind: string, given: unknown, sizes: DeclaredSizes | null): readonly Limit[] {
  if (given === undefined) return [];
  const limits: readonly unknown[] = Array.isArray(given) ? given : [given];
  return limits.map((limit) => {
    if (typeof limit === 'string')
      return { name: limit, max: sizes === null ? 1 : sizeOf(kind, limit, sizes) };
    const { name, max } = Object(limit);
    if (name === undefined || max === undefined)
      throw new InvalidInputError(
        `limit of the handler of ${JSON.stringify(kind)} must be { name, max }, a name that a plugin declares, a list of these, or a function that returns them.`,
      );
    return { name, max };
  });
}

function sizeOf(kind: string, name: string, sizes: DeclaredSizes): number {
  checkName('The name of a limit', name);
  const size = sizes.get(name);
  if (size !== undefined) return size;
  throw new InvalidInputError(
    `The limit ${JSON.stringify(name)} of the handler of ${JSON.stringify(kind)} has no size: no plugin here declares it. Write { name, max }, or list the plugin whose limits have it.`,
  );
}
