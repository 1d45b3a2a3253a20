import { checkOptions, DriverError, InvalidInputError, isDriverError } from '@rowlock/core';
import {
  type ColumnCondition,
  checkWhole,
  conditionOf,
  type RowCondition,
  type RowValue,
  type TableName,
} from '@rowlock/core/driver';

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

const OPTIONS: readonly string[] = [
  'strength',
  'wait',
  'order',
  'limit',
] satisfies (keyof LockRowsOptions<string>)[];

const WAITS = { wait: '', nowait: 'NOWAIT', skipLocked: 'SKIP LOCKED' } as const;

const DIRECTIONS = { asc: 'ASC', desc: 'DESC' } as const;

/** What a database spells in its own way. */
export interface Dialect<Strength extends string> {
  readonly strengths: Readonly<Record<Strength | 'update', string>>;
  /** Quotes a name. @throws InvalidInputError */
  identifier(name: string): string;
  /** The placeholders of values, which it adds to those of the statement. */
  placesOf(values: readonly Exclude<RowValue, null>[], all: unknown[]): string;
  /** Stands at the end of the conditions. */
  readonly afterConditions: string;
}

export interface LockStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** The statement of a call of `lockRows`. No name and no value of the caller becomes SQL. @throws InvalidInputError */
export function lockStatement<Strength extends string>(
  dialect: Dialect<Strength>,
  table: TableName,
  where: RowCondition,
  options: LockRowsOptions<NoInfer<Strength>>,
): LockStatement {
  checkOptions('lockRows()', options, OPTIONS);
  const { strength, wait = 'wait', order = {}, limit } = options;
  const conditions = Object.entries<RowCondition[string]>(Array.isArray(where) ? {} : Object(where)).map(
    ([column, value]) => conditionOf(column, value),
  );
  if (limit !== undefined) checkWhole('limit', limit, 1, 10_000);
  else if (conditions.length === 0)
    throw new InvalidInputError(
      'where has no column, so it would lock the whole table: name one, or pass a limit.',
    );
  const { identifier, strengths } = dialect;
  const values: unknown[] = [];
  const names = typeof table === 'string' ? table.split('.') : table;
  if (!Array.isArray(names)) throw new InvalidInputError('table must be a name, or a list of names.');
  const matches = ['TRUE', ...conditions.map((each) => spelled(dialect, each, values))].join(' AND ');
  const ways = Object.entries(order).map(
    ([column, way]) => `${identifier(column)} ${wordOf(`order.${column}`, DIRECTIONS, way)}`,
  );
  const parts = [
    `SELECT * FROM ${names.map(identifier).join('.')} WHERE ${matches}`,
    dialect.afterConditions,
    ways.length === 0 ? '' : `ORDER BY ${ways.join(', ')}`,
    limit === undefined ? '' : `LIMIT ${dialect.placesOf([limit], values)}`,
    wordOf<Strength | 'update'>('strength', strengths, strength ?? 'update'),
    wordOf('wait', WAITS, wait),
  ];
  return { text: parts.filter((part) => part !== '').join(' '), values };
}

function spelled<Strength extends string>(
  { identifier, placesOf }: Dialect<Strength>,
  { column, values, orNull }: ColumnCondition,
  all: unknown[],
): string {
  const name = identifier(column);
  const either = [
    ...(values.length > 0 ? [`${name} IN (${placesOf(values, all)})`] : []),
    ...(orNull ? [`${name} IS NULL`] : []),
  ];
  return `(${either.join(' OR ') || 'FALSE'})`;
}

function wordOf<Name extends string>(
  what: string,
  words: Readonly<Record<Name, string>>,
  name: Name,
): string {
  if (Object.hasOwn(words, name)) return words[name];
  throw new InvalidInputError(
    `${what} must be one of ${Object.keys(words).join(', ')}, not ${JSON.stringify(name)}.`,
  );
}

/** MySQL's: no such table, no such column. */
const NOT_THERE: readonly unknown[] = [1146, 1054];

/** The table is the application's: a migration of Rowlock's tables would not help. */
export function notThere(error: unknown): unknown {
  const { cause } = Object(error);
  if (!isDriverError(error, 'SchemaOutdated') && !NOT_THERE.includes(Object(cause).errno)) return error;
  return new DriverError(
    'InvalidInput',
    `The table or one of its columns is not there. ${Object(cause).message}`,
    { cause },
  );
}
