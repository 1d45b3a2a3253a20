import { InvalidInputError } from '../errors.js';
import { checkName, checkWhole } from '../input.js';

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

/**
 * The text of limits, as a row has it: JSON with the names in order. Jobs of one queue with equal texts wait in one line.
 *
 * @throws InvalidInputError
 */
export function limitsText(limits: readonly Limit[]): string {
  if (limits.length === 0) return NO_LIMITS;
  if (limits.length > MOST_LIMITS)
    throw new InvalidInputError(`A job may have ${MOST_LIMITS} limits, not ${limits.length}.`);
  const all = new Map<string, number>();
  for (const { name, max } of limits) {
    checkName('The name of a limit', name);
    checkWhole(`The size of the limit ${JSON.stringify(name)}`, max, 1, MOST_SLOTS);
    // Of two sizes the smaller one keeps both.
    all.set(name, Math.min(max, all.get(name) ?? max));
  }
  const inOrder = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = `{${inOrder.map(([name, max]) => `${JSON.stringify(name)}:${max}`).join(',')}}`;
  if (text.length <= LIMITS_CHARACTERS) return text;
  throw new InvalidInputError(
    `The limits of a job must have ${LIMITS_CHARACTERS} characters as JSON, not ${text.length}. Use shorter names.`,
  );
}

/**
 * The limits of a row's text, in the order of their names. All takers of several slots follow this order. The tables
 * refuse text that is no JSON object.
 */
export function limitsOf(text: string): readonly Limit[] {
  if (text === NO_LIMITS) return [];
  const limits: unknown = JSON.parse(text);
  return Object.entries(Object(limits))
    .map(([name, max]) => ({ name, max: Number(max) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
