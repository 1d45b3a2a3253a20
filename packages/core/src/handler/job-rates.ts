import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import type { Json } from '../job/json.js';
import { checkRate, type Rate } from '../job/rates.js';
import type { LimitedJob } from './job-limits.js';

/** How many runs of a name may start in a time, in all processes together. */
export interface RateLimit {
  /** 1 to 128 characters. Jobs of one name must agree on the numbers. */
  readonly name: string;
  /** How many starts in each `per`, if they are evenly spaced: 1 to 1,000,000. */
  readonly limit: number;
  /** 1 ms to 31 days. */
  readonly per: Duration;
  /**
   * How many starts at once, after a pause: 1 to 1,000. At most `limit + burst - 1` starts are in any `per`. Default 1:
   * no more than `limit` are in any `per`, evenly spaced.
   */
  readonly burst?: number;
}

/**
 * How many runs of a name may start in a time. A function is called at the enqueue, with the payload as JSON.
 *
 * @example
 * rate: { name: 'maps', limit: 60, per: '1m' }
 *
 * @example
 * rate: ({ payload }) => [{ name: 'maps', limit: 300, per: '1m' }, { name: `maps of ${payload.user}`, limit: 60, per: '1m' }]
 */
export type RateRule<Payload> =
  | OneOrMore<RateLimit>
  | ((job: LimitedJob<Payload>) => OneOrMore<RateLimit> | undefined);

/** A rule for a payload of any type. */
export type AnyRateRule = OneOrMore<RateLimit> | ((job: never) => OneOrMore<RateLimit> | undefined);

type OneOrMore<One> = One | readonly One[];

/**
 * The rates of a new job, whose payload the handler's schema has accepted.
 *
 * @throws InvalidInputError when the rule returns no rates; whatever its function throws.
 */
export function ratesOfJob(
  { kind, rate }: { readonly kind: string; readonly rate?: AnyRateRule | undefined },
  payload: Json,
  key: string | null,
): readonly Rate[] {
  if (rate === undefined) return [];
  if (typeof rate !== 'function') return listed(kind, rate);
  // The handler's schema has accepted the payload.
  const rule: (job: { readonly payload: Json; readonly key: string | null }) => unknown = Object(rate);
  return listed(kind, rule({ payload, key }));
}

/** @throws InvalidInputError */
export function checkRateRule(kind: string, rate: unknown): void {
  if (rate !== undefined && typeof rate !== 'function') listed(kind, rate);
}

function listed(kind: string, given: unknown): readonly Rate[] {
  if (given === undefined) return [];
  const rates: readonly unknown[] = Array.isArray(given) ? given : [given];
  return rates.map((rate) => {
    const { name, limit, per, burst = 1 } = Object(rate);
    if (name === undefined || limit === undefined || per === undefined)
      throw new InvalidInputError(
        `rate of the handler of ${JSON.stringify(kind)} must be { name, limit, per }, a list of these, or a function that returns them.`,
      );
    const checked = { name, limit, perMs: milliseconds(per, 'per'), burst };
    checkRate(checked);
    return checked;
  });
}
