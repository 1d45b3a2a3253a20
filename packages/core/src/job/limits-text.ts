import { InvalidInputError } from '../errors.js';
import { checkName, checkWhole } from '../input.js';
import { shown } from '../shown.js';
import type { Rate, RateNumbers } from './rate.js';

/** The numbers of a limit: `max`, or the three of its starts, or all. */
export interface LimitNumbers {
  /** How many runs may go on at once. */
  readonly max?: number;
  /** How many runs may start in `perMs` milliseconds, if they are evenly spaced. */
  readonly starts?: number;
  readonly perMs?: number;
  /** How many may start at once, after a pause. */
  readonly burst?: number;
}

/** The limits of a job, by name. A run takes a slot of each that has `max`, and a start of each that has `starts`. */
export interface Limits {
  readonly [name: string]: LimitNumbers;
}

/** One limit of a job. */
export interface NamedLimit extends LimitNumbers {
  readonly name: string;
}

/** How many may be in at once, as one taker says. */
export interface Size {
  readonly name: string;
  readonly max: number;
}

/** The most limits of one job, and the most slots of one limit. */
const MOST_LIMITS = 8;
export const MOST_SLOTS = 1_000;

/** The most starts in a time, the most at once, and the longest time, 31 days in milliseconds. */
const MOST_STARTS = 1_000_000;
const MOST_AT_ONCE = 1_000;
const LONGEST_MS = 2_678_400_000;

/** How long a row's text of limits may be, in characters. */
export const LIMITS_CHARACTERS = 512;

/** The text of a row without limits. */
export const NO_LIMITS = '';

/** @throws InvalidInputError */
export function checkLimit({ name, max, starts, perMs, burst }: NamedLimit): void {
  checkName('The name of a limit', name);
  const of = `of the limit ${shown(name)}`;
  if (max !== undefined || starts === undefined) checkWhole(`max ${of}`, max, 1, MOST_SLOTS);
  if (starts === undefined) return;
  checkWhole(`starts ${of}`, starts, 1, MOST_STARTS);
  checkWhole(`per ${of}, in milliseconds,`, perMs, 1, LONGEST_MS);
  checkWhole(`burst ${of}`, burst, 1, MOST_AT_ONCE);
}

/**
 * The text of limits, as a row has it: JSON with the names in order. A member is `max`, or the three numbers of the
 * starts, or all four: `{"mail":3,"maps":[60,60000,1]}`. Jobs of one queue with equal texts wait in one line.
 *
 * @throws InvalidInputError
 */
export function limitsText(limits: readonly NamedLimit[]): string {
  if (limits.length === 0) return NO_LIMITS;
  for (const limit of limits) checkLimit(limit);
  const members = new Map(limits.map((limit) => [limit.name, limit]));
  const twice = limits.find((limit) => members.get(limit.name) !== limit);
  if (twice !== undefined)
    throw new InvalidInputError(
      `The limit ${JSON.stringify(twice.name)} is given twice. One limit may have max and starts.`,
    );
  if (limits.length > MOST_LIMITS)
    throw new InvalidInputError(`A job may have ${MOST_LIMITS} limits, not ${limits.length}.`);
  const inOrder = limits.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const text = `{${inOrder.map((limit) => `${JSON.stringify(limit.name)}:${memberText(limit)}`).join(',')}}`;
  if (text.length <= LIMITS_CHARACTERS) return text;
  throw new InvalidInputError(
    `The limits of a job must have ${LIMITS_CHARACTERS} characters as JSON, not ${text.length}. Use shorter names.`,
  );
}

function memberText({ max, starts, perMs, burst }: LimitNumbers): string {
  if (starts === undefined) return String(max);
  const numbers = [starts, perMs, burst];
  return JSON.stringify(max === undefined ? numbers : [max, ...numbers]);
}

/** The limits of a row's text, in the order of their names. All takers of several follow this order. */
export function limitsOf(text: string): readonly NamedLimit[] {
  if (text === NO_LIMITS) return [];
  // The tables refuse text that is no JSON object.
  const members: unknown = JSON.parse(text);
  return Object.entries(Object(members))
    .map(([name, value]) => ({ name, ...numbersIn([value].flat().map(Number)) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function numbersIn(numbers: readonly number[]): LimitNumbers {
  const [max] = numbers.length === RATE_NUMBERS ? [] : numbers;
  const [starts, perMs, burst] = numbers.slice(-RATE_NUMBERS);
  return {
    ...(max !== undefined && { max }),
    ...(starts !== undefined && perMs !== undefined && burst !== undefined && { starts, perMs, burst }),
  };
}

/** How many numbers say the starts. */
const RATE_NUMBERS = 3;

/** The limits of a row's text, by name. */
export function limitsIn(text: string): Limits {
  return Object.fromEntries(limitsOf(text).map(({ name, ...numbers }) => [name, numbers]));
}

/** The names of the limits of a row's text, in their order. */
export function namesIn(text: string): readonly string[] {
  return limitsOf(text).map(({ name }) => name);
}

/** Those limits of a row's text of which a run takes a slot. */
export function sizesOf(text: string): readonly Size[] {
  return limitsOf(text).flatMap(({ name, max }) => (max === undefined ? [] : [{ name, max }]));
}

/** Those limits of a row's text of which a run takes a start. */
export function ratesOf(text: string): readonly Rate[] {
  return limitsOf(text).flatMap(({ name, ...numbers }) => {
    const rate = rateOf(numbers);
    return rate === undefined ? [] : [{ name, ...rate }];
  });
}

/** The starts that these numbers allow. Undefined if they do not say. */
export function rateOf({ starts, perMs, burst }: LimitNumbers): RateNumbers | undefined {
  if (starts === undefined || perMs === undefined || burst === undefined) return undefined;
  return { starts, perMs, burst };
}
