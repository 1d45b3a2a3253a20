import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkName } from '../input.js';
import type { Json, Stored } from '../job/json.js';
import { limitsText, type NamedLimit } from '../job/limits-text.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';
import { unawaited } from '../thenable.js';

/** How many runs may go on at once, and how many may start in a time, in all processes together: one of these, or both. */
export interface LimitOptions {
  /** How many at once: 1 to 1,000. */
  readonly max?: number;
  /** How many starts in each `per`, if they are evenly spaced: 1 to 1,000,000. */
  readonly starts?: number;
  /** The time of `starts`: 1 ms to 31 days. */
  readonly per?: Duration;
  /**
   * How many may start at once, after a pause: 1 to 1,000. At most `starts + burst - 1` starts are in any `per`. Default
   * 1: no more than `starts` are in any `per`, evenly spaced.
   */
  readonly burst?: number;
}

/** A limit, as a handler gives it. */
export interface Limit extends LimitOptions {
  /** 1 to 128 characters. Jobs of one name should agree on the numbers. */
  readonly name: string;
}

/**
 * The limits of a handler's jobs: one, or several, or a function that is called at the enqueue, with the payload as JSON,
 * so that each tenant, for example, may have a limit of its own. A name alone is of a limit that a plugin declares.
 *
 * @example
 * limit: { name: 'google', max: 5, starts: 300, per: '1m' }
 *
 * @example
 * limit: ({ payload }) => [{ name: 'mail', max: 20 }, { name: `mail of ${payload.tenant}`, max: 2 }]
 */
export type LimitRule<Payload> =
  | OneOrMore<Limit | string>
  | ((job: LimitedJob<Payload>) => OneOrMore<Limit | string> | undefined);

export type AnyLimitRule =
  | OneOrMore<Limit | string>
  | ((job: never) => OneOrMore<Limit | string> | undefined);

export type DeclaredLimits = ReadonlyMap<string, NamedLimit>;

const NONE: DeclaredLimits = new Map();

type OneOrMore<One> = One | readonly One[];

/** A job, as a limit's function sees it at the enqueue. */
export interface LimitedJob<Payload> {
  readonly payload: Stored<Payload>;
  readonly key: string | null;
}

interface LimitedHandler {
  readonly kind: string;
  readonly limit?: AnyLimitRule | undefined;
}

/**
 * The limits of a new job, whose payload the handler's schema has accepted.
 *
 * @throws InvalidInputError when the rule returns something else; whatever its function throws.
 */
export function limitsOfJob(
  { kind, limit }: LimitedHandler,
  payload: Json,
  key: string | null,
  declared = NONE,
): readonly NamedLimit[] {
  if (typeof limit !== 'function') return namedLimits(limit, ofHandler(kind), declared);
  // The handler's schema has accepted the payload.
  const rule: (job: { readonly payload: Json; readonly key: string | null }) => unknown = Object(limit);
  return namedLimits(unawaited(rule({ payload, key })), ofHandler(kind), declared);
}

/** Leaves open whether a plugin declares the limits that have a name alone. @throws InvalidInputError */
export function checkLimitRule({ kind, limit }: LimitedHandler): void {
  if (typeof limit !== 'function') limitsText(namedLimits(limit, ofHandler(kind), null));
}

/** @throws InvalidInputError when a limit that is no function has a name alone that no plugin declares. */
export function checkDeclared({ kind, limit }: LimitedHandler, declared: DeclaredLimits): void {
  if (typeof limit !== 'function') namedLimits(limit, ofHandler(kind), declared);
}

function ofHandler(kind: string): string {
  return ` of the handler of ${shown(kind)}`;
}

/**
 * The limits that are given by name, or with their numbers.
 *
 * @param of Whose they are, for errors.
 * @param declared Null while they are not known.
 * @throws InvalidInputError
 */
export function namedLimits(
  given: unknown,
  of: string,
  declared: DeclaredLimits | null = NONE,
): readonly NamedLimit[] {
  if (given === undefined) return [];
  const limits: readonly unknown[] = Array.isArray(given) ? given : [given];
  return limits.map((limit) => {
    if (typeof limit === 'string')
      return declared === null ? { name: limit, max: 1 } : find(limit, of, declared);
    const { name, ...options } = Object(limit);
    if (name !== undefined) return namedLimit(name, options, of);
    throw new InvalidInputError(
      `limit${of} must be { name, max }, { name, starts, per }, a name that a plugin declares, a list of these, or a function that returns them.`,
    );
  });
}

function find(name: string, of: string, declared: DeclaredLimits): NamedLimit {
  checkName('The name of a limit', name);
  const limit = declared.get(name);
  if (limit !== undefined) return limit;
  throw new InvalidInputError(
    `The limit ${shown(name)}${of} has no numbers: no plugin here declares it. Write { name, max }, or list the plugin whose limits have it.`,
  );
}

/**
 * A limit in milliseconds, and with its burst. Its form is checked: that of its numbers is by `checkLimit`.
 *
 * @throws InvalidInputError
 */
export function namedLimit(name: string, options: unknown, of = ''): NamedLimit {
  checkOptions(`The limit ${shown(name)}${of}`, options, NUMBERS);
  const { max, starts, per, burst } = Object(options);
  const wrong = problem({ max, starts, per, burst });
  if (wrong !== undefined) throw new InvalidInputError(`The limit ${shown(name)}${of} ${wrong}`);
  const rate = starts !== undefined && { starts, perMs: milliseconds(per, 'per'), burst: burst ?? 1 };
  return { name, ...(max !== undefined && { max }), ...rate };
}

const NUMBERS: readonly string[] = ['max', 'starts', 'per', 'burst'] satisfies (keyof LimitOptions)[];

function problem({ max, starts, per, burst }: LimitOptions): string | undefined {
  if (starts === undefined && (per ?? burst) !== undefined)
    return `has ${per === undefined ? 'burst' : 'per'} without starts: write { starts: 60, per: '1m' }.`;
  if (starts !== undefined && per === undefined)
    return "has starts without per: write { starts: 60, per: '1m' }.";
  if (starts === undefined && max === undefined) return 'needs max, or starts and per, or both.';
  return undefined;
}
