import { InvalidInputError } from '../errors.js';
import { checkName, checkWhole } from '../input.js';
import { checkRate, type Rate, type Rates } from './rates.js';

/** How many runs may go on at once, by the limit's name. A job with several limits needs a slot of each. */
export interface Limits {
  readonly [name: string]: number;
}

/** One limit of a job. */
export interface Limit {
  readonly name: string;
  /** How many may be in, as this job says. */
  readonly max: number;
}

/** The most limits of one job, and the most slots of one limit. */
const MOST_LIMITS = 8;
export const MOST_SLOTS = 1_000;

/** How long a row's text of limits may be, in characters. */
export const LIMITS_CHARACTERS = 512;

/** The text of a row without limits. */
export const NO_LIMITS = '';

/** The limit and the rate of one name. */
interface Member {
  readonly max?: number;
  readonly rate?: Rate;
}

/**
 * The text of limits and rates, as a row has it: JSON with the names in order. A member is a size, or the three numbers
 * of a rate, or a size and these: `{"mail":3,"maps":[60,60000,1]}`. Jobs of one queue with equal texts wait in one line.
 *
 * @throws InvalidInputError
 */
export function limitsText(limits: readonly Limit[], rates: readonly Rate[] = []): string {
  if (limits.length + rates.length === 0) return NO_LIMITS;
  const all = membersOf(limits, rates);
  if (all.size > MOST_LIMITS)
    throw new InvalidInputError(`A job may have ${MOST_LIMITS} limits and rates, not ${all.size}.`);
  const inOrder = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = `{${inOrder.map(([name, member]) => `${JSON.stringify(name)}:${memberText(member)}`).join(',')}}`;
  if (text.length <= LIMITS_CHARACTERS) return text;
  throw new InvalidInputError(
    `The limits of a job must have ${LIMITS_CHARACTERS} characters as JSON, not ${text.length}. Use shorter names.`,
  );
}

function membersOf(limits: readonly Limit[], rates: readonly Rate[]): ReadonlyMap<string, Member> {
  const all = new Map<string, Member>();
  for (const { name, max } of limits) {
    checkName('The name of a limit', name);
    checkWhole(`The size of the limit ${JSON.stringify(name)}`, max, 1, MOST_SLOTS);
    // Of two sizes the smaller one keeps both.
    all.set(name, { max: Math.min(max, all.get(name)?.max ?? max) });
  }
  for (const rate of rates) {
    checkRate(rate);
    const { name } = rate;
    if (all.get(name)?.rate !== undefined)
      throw new InvalidInputError(`The rate ${JSON.stringify(name)} is given twice.`);
    all.set(name, { ...all.get(name), rate });
  }
  return all;
}

function memberText({ max, rate }: Member): string {
  if (rate === undefined) return String(max);
  const numbers = [rate.limit, rate.perMs, rate.burst];
  return JSON.stringify(max === undefined ? numbers : [max, ...numbers]);
}

/** The limits of a row's text, in the order of their names. All takers of several slots follow this order. */
export function limitsOf(text: string): readonly Limit[] {
  return membersIn(text).flatMap(([name, numbers]) => {
    const [max] = numbers;
    return max === undefined || numbers.length === RATE_NUMBERS ? [] : [{ name, max }];
  });
}

/** The rates of a row's text, in the order of their names. All takers of several starts follow this order. */
export function ratesOf(text: string): readonly Rate[] {
  return membersIn(text).flatMap(([name, numbers]) => {
    const [limit, perMs, burst] = numbers.slice(-RATE_NUMBERS);
    return limit === undefined || perMs === undefined || burst === undefined
      ? []
      : [{ name, limit, perMs, burst }];
  });
}

/** The limits and rates of a row's text, by name. */
export function limitsIn(text: string): { readonly limits: Limits; readonly rates: Rates } {
  return {
    limits: Object.fromEntries(limitsOf(text).map(({ name, max }) => [name, max])),
    rates: Object.fromEntries(ratesOf(text).map(({ name, ...numbers }) => [name, numbers])),
  };
}

/** The names of the limits and rates of a row's text, in their order. */
export function namesIn(text: string): readonly string[] {
  return membersIn(text).map(([name]) => name);
}

/** How many numbers a rate has. */
const RATE_NUMBERS = 3;

/** The tables refuse text that is no JSON object. */
function membersIn(text: string): readonly (readonly [name: string, numbers: readonly number[]])[] {
  if (text === NO_LIMITS) return [];
  const members: unknown = JSON.parse(text);
  return Object.entries(Object(members))
    .map(([name, value]) => [name, [value].flat().map(Number)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
