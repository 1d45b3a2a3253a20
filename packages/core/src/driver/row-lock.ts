import { isDate, isUint8Array } from 'node:util/types';
import { InvalidInputError } from '../errors.js';
import { checkWhole } from '../input.js';

/** A table's name, e.g. `orders`, or `shop.orders` with its schema. A list of names may have dots in them. */
export type TableName = string | readonly string[];

/**
 * The rows to lock, by column. Each column has this value, or one of these values. Null matches NULL. An empty list
 * matches no row.
 */
export interface RowCondition {
  readonly [column: string]: RowValue | readonly RowValue[];
}

export type RowValue = string | number | bigint | boolean | Date | Uint8Array | null;

export interface LockRowsOptions<Strength extends string> {
  /** Default `update`. */
  readonly strength?: Strength;
  /**
   * What happens at a row that another transaction has locked. `wait`, the default: the call waits. `nowait`: it rejects
   * with `LockNotAvailable`. On Postgres the transaction can then only be rolled back, as after any error there.
   * `skipLocked`: the row is left out.
   */
  readonly wait?: keyof typeof WAITS;
  /** The order of the rows, by column. Transactions that lock several rows should all have one order. */
  readonly order?: { readonly [column: string]: keyof typeof DIRECTIONS };
  /** The most rows to lock, 1 to 10,000. Default: all that match. */
  readonly limit?: number;
}

const WAITS = { wait: '', nowait: 'NOWAIT', skipLocked: 'SKIP LOCKED' } as const;

const DIRECTIONS = { asc: 'ASC', desc: 'DESC' } as const;

/** A call of `lockRows`, checked. Words of SQL are spelled; names and values are not. */
export interface RowLock<Strength extends string> {
  /** The parts of the table's name. */
  readonly table: readonly string[];
  readonly conditions: readonly ColumnCondition[];
  readonly strength: Strength;
  readonly wait: (typeof WAITS)[keyof typeof WAITS];
  readonly order: readonly (readonly [column: string, direction: 'ASC' | 'DESC'])[];
  readonly limit: number | null;
}

/** A column has one of these values, or is NULL if `orNull`. */
export interface ColumnCondition {
  readonly column: string;
  readonly values: readonly Exclude<RowValue, null>[];
  readonly orNull: boolean;
}

/** @throws InvalidInputError */
export function rowLock<Strength extends string>(
  strengths: readonly Strength[],
  table: TableName,
  where: RowCondition,
  { strength, wait = 'wait', order = {}, limit }: LockRowsOptions<Strength>,
): RowLock<Strength> {
  const conditions = Object.entries(where).map(([column, value]) => conditionOf(column, value));
  if (limit !== undefined) checkWhole('limit', limit, 1, 10_000);
  else if (conditions.length === 0)
    throw new InvalidInputError(
      'where has no column, so it would lock the whole table: name one, or pass a limit.',
    );
  return {
    table: typeof table === 'string' ? table.split('.') : table,
    conditions,
    strength: strengthOf(strengths, strength),
    wait: wordOf('wait', WAITS, wait),
    order: Object.entries(order).map(([column, direction]) => [
      column,
      wordOf(`order.${column}`, DIRECTIONS, direction),
    ]),
    limit: limit ?? null,
  };
}

/** @param what The name of the argument, for errors. @throws InvalidInputError */
export function conditionOf(column: string, value: RowCondition[string], what = 'where'): ColumnCondition {
  const values = isList(value) ? value : [value];
  for (const each of values) checkValue(`${what}.${column}`, each);
  return { column, values: values.filter((each) => each !== null), orNull: values.includes(null) };
}

function isList(value: RowCondition[string]): value is readonly RowValue[] {
  return Array.isArray(value);
}

/** Refuses what JavaScript may pass: `undefined` of a misspelt name, and objects, which some clients turn into SQL. */
function checkValue(what: string, value: unknown): void {
  if (value === null || isUint8Array(value) || VALUES.has(typeof value)) return;
  if (isDate(value) && !Number.isNaN(value.getTime())) return;
  throw new InvalidInputError(
    `${what} must be a text, a number, a bigint, a boolean, a Date, bytes, null, or a list of these.`,
  );
}

const VALUES: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);

function strengthOf<Strength extends string>(
  strengths: readonly Strength[],
  given: Strength | undefined,
): Strength {
  const [otherwise] = strengths;
  const found = given === undefined ? otherwise : strengths.find((each) => each === given);
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `strength must be one of ${strengths.join(', ')} on this database, not ${JSON.stringify(given)}.`,
  );
}

function wordOf<Words extends object, Name extends keyof Words & string>(
  what: string,
  words: Words,
  name: Name,
): Words[Name] {
  if (Object.hasOwn(words, name)) return words[name];
  throw new InvalidInputError(`${what} must be one of ${Object.keys(words).join(', ')}.`);
}
