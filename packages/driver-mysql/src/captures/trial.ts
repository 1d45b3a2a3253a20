import { DriverError } from '@rowlock/core';
import type { CapturePlan, ColumnCondition } from '@rowlock/core/driver';
import { refusedTable, tryCapture, tryValues } from '@rowlock/sql-drivers';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import type { Product } from '../product.js';
import { BYTES, CHECKED, type Column, NUMBERS, SHAPES, TIMES } from './column.js';
import { conditionValues, Expressions } from './expressions.js';
import { type CapturedTable, columnsOf } from './table.js';

/**
 * Has the server compute what the triggers compute, over a row of nulls, and compare what conditions name with a value of
 * each column's sort, where a warning is an error. Then looks whether columns can have these values.
 *
 * @param run Rejects with a DriverError, also for a warning.
 * @throws InvalidInputError when the server cannot.
 */
export async function tryOut(
  plan: CapturePlan,
  table: CapturedTable,
  run: (sql: string) => Promise<readonly object[]>,
): Promise<void> {
  const parts = plan.conditions.map((condition) => {
    const meets = new Expressions({ ...plan, conditions: [condition] }, table).meets('NEW');
    const fits = compared(plan, table, condition);
    return { option: `when.${condition.column}`, sql: overNoRow(plan, table, [meets ?? 'TRUE', ...fits]) };
  });
  const whole = [...computed(plan, table), ...plan.conditions.flatMap((each) => compared(plan, table, each))];
  await tryCapture(plan, overNoRow(plan, table, whole), parts, run);
  for (const condition of plan.conditions) {
    const column = table.columns.get(condition.column);
    if (column === undefined || !isRead(column, table.product)) continue;
    if (condition.values.length > 0 && (await run(jsonSql(table, column))).length > 0)
      throw refusedTable(
        plan,
        `cannot be captured with when.${column.name}, as a json is compared with no value`,
      );
    await tryValues(plan, condition, async (values) => {
      const cut = await run(cutSql(values, column));
      if (cut.length > 0) throw new DriverError('InvalidInput', 'The column would cut or round a value.');
    });
  }
}

function computed(plan: CapturePlan, table: CapturedTable): readonly string[] {
  const sql = new Expressions(plan, table);
  const rows = (['NEW', 'OLD'] as const).flatMap((row) => [sql.key(row), sql.meets(row)]);
  const payload = sql.payload("'op', 'update'", sql.id('NEW'), ['OLD', 'NEW']);
  const others = [sql.id('OLD'), sql.sameId(), sql.sameKey(), sql.changed(), payload];
  return [...rows, ...others].flatMap((each) => each ?? []).filter((each) => each !== '');
}

/** An asterisk would leave out columns that are invisible. */
function overNoRow(plan: CapturePlan, { name }: CapturedTable, values: readonly string[]): string {
  const columns = columnsOf(plan).map(identifier).join(', ');
  const none = (row: string): string =>
    `LEFT JOIN (SELECT ${columns} FROM ${name} LIMIT 0) AS ${row} ON TRUE`;
  return `SELECT ${values.join(', ')} FROM (SELECT 1) AS one ${none('NEW')} ${none('OLD')}`;
}

/** The comparisons of a value of the column's sort with those of the condition. @throws InvalidInputError */
function compared(
  plan: CapturePlan,
  { columns }: CapturedTable,
  { column: name, values }: ColumnCondition,
): readonly string[] {
  const column = columns.get(name);
  if (column === undefined || values.length === 0) return [];
  const refuse = (why: string): never => {
    throw refusedTable(plan, `cannot be captured with when.${name}, ${why}`);
  };
  if (column.type === 'json' || column.type === 'vector' || SHAPES.includes(column.type))
    refuse(`as a ${column.type} is compared with no value`);
  const stranger = values.find((value) => typeof value === 'string' && !hasMember(column, value));
  if (stranger !== undefined)
    refuse(`as ${JSON.stringify(stranger)} is none of ${column.members.join(', ')}`);
  // The server would take an empty text for 0, without a warning.
  const word = values.find((value) => typeof value === 'string' && !NUMBER.test(value));
  if (NUMBERS.includes(column.type) && word !== undefined) refuse(`as ${JSON.stringify(word)} is no number`);
  // A trigger compares them as numbers, and a query as years.
  const year = values.find((value) => !/^(0|\d{4})$/.test(String(value)));
  if (column.type === 'year' && year !== undefined) refuse(`as ${String(year)} is no year of four digits`);
  const given = conditionValues(column.type, values);
  return [...TIMES, ...CHECKED].includes(column.type)
    ? given
    : [`${sample(column)} IN (${given.join(', ')})`];
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function sample({ type }: Column): string {
  if (NUMBERS.includes(type)) return '1';
  return BYTES.includes(type) ? "CAST('x' AS BINARY)" : "'x'";
}

/** Whether `cutSql` can read the column's type. MariaDB reads the number of a BIT as a text there. */
function isRead({ type }: Column, product: Product): boolean {
  return !['enum', 'set', ...CHECKED].includes(type) && (type !== 'bit' || product === 'MySQL');
}

/** A query of the values that the column would cut or round. */
function cutSql(values: ColumnCondition['values'], { type, full, charset, collation }: Column): string {
  const texts = values.map((value) => {
    const isNumber = typeof value === 'bigint' || (NUMBERS.includes(type) && JSON_NUMBER.test(String(value)));
    return isNumber ? String(value) : JSON.stringify(value);
  });
  // It would be read in the time zone of the session.
  const plain = full.replace(/^timestamp/, 'datetime');
  const words = charset === '' ? '' : ` CHARACTER SET ${charset} COLLATE ${collation}`;
  // Without the cast MySQL keeps the fraction of a second there.
  const read = type === 'time' ? `CAST(n.value AS ${full})` : 'n.value';
  const same = conditionValues(type, values).map(
    (value, place) => `WHEN ${place + 1} THEN ${read} = ${value}`,
  );
  return `SELECT n.place FROM JSON_TABLE(${literal(`[${texts.join()}]`)}, '$[*]'
    COLUMNS (place FOR ORDINALITY, value ${plain}${words} PATH '$' ERROR ON ERROR)) AS n
    WHERE NOT CASE n.place ${same.join(' ')} END`;
}

/** A row if the column is a JSON of MariaDB, which is a text with a check: it would be compared with quotes and blanks. */
function jsonSql({ schema, table, product }: CapturedTable, { name, type }: Column): string {
  if (product === 'MySQL' || type !== 'longtext') return 'SELECT 1 LIMIT 0';
  const check = `json_valid(${identifier(name)})`;
  return `SELECT 1 FROM information_schema.CHECK_CONSTRAINTS
    WHERE CONSTRAINT_SCHEMA = ${literal(schema)} AND TABLE_NAME = ${literal(table)} AND CHECK_CLAUSE = ${literal(check)}`;
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** Any text but for an ENUM and a SET. A collation may be blind to capitals and accents. */
function hasMember({ type, members }: Column, value: string): boolean {
  if (members.length === 0) return true;
  const known = members.map(folded);
  if (type === 'enum') return known.includes(folded(value));
  const given = value.split(',').map(folded);
  // The server writes them in their order, each once.
  return value === '' || known.filter((member) => given.includes(member)).join() === given.join();
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trimEnd();
}
