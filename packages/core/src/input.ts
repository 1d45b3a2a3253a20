import { isDate } from 'node:util/types';
import { InvalidInputError } from './errors.js';
import { isError } from './is-error.js';
import type { Json } from './job/json.js';
import { shown } from './shown.js';

/** The limits of a row. Narrower than the databases' own limits, to keep rows and indexes small. */
export const LIMITS = {
  nameCharacters: 128,
  keyCharacters: 512,
  payloadBytes: 1024 * 1024,
  metadataBytes: 64 * 1024,
  /** How deep JSON may be nested, where a bare value is 1. MySQL's own limit. */
  jsonDepth: 100,
  /** How long a member's name in JSON may be: MySQL takes 65,535 bytes. */
  jsonNameCharacters: 16_000,
  jobsPerCall: 10_000,
  /** Operations of one update. */
  operations: 100,
  /** Names and indexes in an operation's path. */
  pathLength: 16,
  /** The highest index in a path: Postgres's own limit. */
  highestIndex: 2 ** 31 - 1,
  page: 1_000,
  /** Queues, kinds, or states, of a filter. */
  filterItems: 100,
} as const;

/** @throws InvalidInputError unless `value` can name a queue or a kind. */
export function checkName(what: string, value: unknown): asserts value is string {
  checkText(what, value, LIMITS.nameCharacters);
}

/** @throws InvalidInputError unless `value` is a time that every database can hold. */
export function checkDate(what: string, value: unknown): asserts value is Date {
  if (!isDate(value) || Number.isNaN(value.getTime()))
    throw new InvalidInputError(`${what} must be a valid Date.`);
  checkWhole(`The year of ${what}`, value.getUTCFullYear(), 1970, 9999);
}

/** Texts of a condition. An empty list would find nothing, or everything. @throws InvalidInputError */
export function checkTexts(what: string, texts: unknown): asserts texts is readonly string[] {
  if (!Array.isArray(texts)) throw new InvalidInputError(`${what} must be text, or a list of texts.`);
  checkWhole(`The number of items in ${what}`, texts.length, 1, LIMITS.filterItems);
}

export function checkKinds(what: string, kinds: readonly unknown[]): void {
  if (!Array.isArray(kinds)) throw new InvalidInputError(`${what} must be a list of kinds.`);
  for (const kind of kinds) checkName(`Each of ${what}`, kind);
}

/** @throws InvalidInputError unless `value` is text of 1 to 512 characters that every database can hold. */
export function checkKey(what: string, value: unknown): asserts value is string {
  checkText(what, value, LIMITS.keyCharacters);
}

function checkText(what: string, value: unknown, most: number): asserts value is string {
  if (typeof value !== 'string') throw new InvalidInputError(`${what} must be text, not ${typeof value}.`);
  if (value.length === 0 || value.length > most) {
    throw new InvalidInputError(`${what} must have 1 to ${most} characters, not ${value.length}.`);
  }
  checkStorable(what, value);
}

/** @throws InvalidInputError unless every database can hold the text. */
export function checkStorable(what: string, text: string): void {
  if (!isStorable(text)) throw new InvalidInputError(`${what} ${UNSTORABLE}`);
}

const UNSTORABLE = 'holds a NUL character or half a surrogate pair, which no database stores.';

function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Checks that JSON keeps a value, and that it fits in `mostBytes`, also with all digits of its numbers. Returns the value as JSON gives it back: without its
 * prototype, `undefined` members and getters.
 *
 * @param levels How deep the value is to be nested in other JSON.
 * @throws InvalidInputError when it does not.
 */
export function checkJson(what: string, value: unknown, mostBytes: number, levels = 0): Json {
  const text = stringify(what, value);
  // Shorter text fits in any case.
  const bytes = text.length * LONGEST_RATIO > mostBytes ? Buffer.byteLength(text) + digitsLeftOut(text) : 0;
  if (bytes > mostBytes) {
    throw new InvalidInputError(
      `${what} must have at most ${mostBytes} bytes as JSON, with all digits of its numbers, not ${bytes}.`,
    );
  }
  // Each level has two brackets.
  const deepest = LIMITS.jsonDepth - levels;
  if (text.length >= 2 * deepest && depth(text) > deepest) {
    throw new InvalidInputError(`${what} must be nested at most ${deepest} levels deep.`);
  }
  // JSON escapes every character that a database refuses. Text without such an escape needs no check.
  const isSuspect = text.includes('\\u') || text.length > LIMITS.jsonNameCharacters;
  const copy: Json = isSuspect ? JSON.parse(text, refuseUnstorable(what)) : JSON.parse(text);
  return copy;
}

function refuseUnstorable(what: string): (name: string, inner: unknown) => unknown {
  return (name, inner) => {
    if (name.length > LIMITS.jsonNameCharacters) {
      const most = `at most ${LIMITS.jsonNameCharacters} characters, not ${name.length}`;
      throw new InvalidInputError(`Each name of a member in ${what} must have ${most}.`);
    }
    if (isStorable(name) && (typeof inner !== 'string' || isStorable(inner))) return inner;
    throw new InvalidInputError(`${what} ${UNSTORABLE}`);
  };
}

/** The most bytes that a character of JSON can stand for: Postgres stores the six of 1e+308 and returns 309. */
const LONGEST_RATIO = 52;

/** The number of digits that JSON leaves out by exponents. Postgres writes them out when it returns the JSON. */
function digitsLeftOut(text: string): number {
  if (!EXPONENT.test(text)) return 0;
  let digits = 0;
  for (const [, exponent] of text.replaceAll(STRINGS, '').matchAll(/e[+-](\d+)/g)) digits += Number(exponent);
  return digits;
}

const EXPONENT = /\de[+-]\d/;

/** The depth of JSON, read from its text, because a recursive walk of the value could overflow the stack. */
function depth(text: string): number {
  let [level, deepest] = [1, 1];
  for (const [bracket] of text.replaceAll(STRINGS, '').matchAll(/[[\]{}]/g)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;

function stringify(what: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    // A number that JSON cannot hold becomes `null`.
    if (text?.includes('null')) JSON.stringify(value, refuseLossy);
    if (text !== undefined) return text;
  } catch (cause) {
    const [why = ''] = String(isError(cause) ? cause.message : cause).split('\n');
    throw new InvalidInputError(`${what} cannot be written as JSON: ${why.replace(/\.?$/, '.')}`, { cause });
  }
  throw new InvalidInputError(`${what} cannot be written as JSON: it is ${typeof value}.`);
}

/** JSON would silently make these numbers `null`. */
function refuseLossy(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${value} is not a JSON number`);
  return value;
}

/** @throws InvalidInputError unless `value` is a job's priority. */
export function checkPriority(value: unknown): asserts value is number {
  checkWhole('priority', value, -32_768, 32_767);
}

/** @throws InvalidInputError unless `value` is a job's number of attempts. */
export function checkAttempts(value: unknown): asserts value is number {
  checkWhole('attempts', value, 1, 1_000);
}

/** @throws InvalidInputError unless `value` is one of these words. */
export function checkWord<Word extends string>(
  what: string,
  value: unknown,
  words: readonly Word[],
): asserts value is Word {
  const known: readonly unknown[] = words;
  if (known.includes(value)) return;
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(words.map((word) => `'${word}'`));
  throw new InvalidInputError(`${what} must be ${list}, not ${shown(value)}.`);
}

/** @throws InvalidInputError unless `value` is a whole number in the range. */
export function checkWhole(
  what: string,
  value: unknown,
  least: number,
  most: number,
): asserts value is number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
  throw new InvalidInputError(
    `${what} must be a whole number from ${least} to ${most}, not ${shown(value)}.`,
  );
}
