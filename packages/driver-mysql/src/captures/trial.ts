import { type CapturePlan, type ColumnCondition, refusedTable, tryCapture } from '@rowlock/core/driver';
import { BYTES, type Column, NUMBERS, SHAPES, TIMES } from './column.js';
import { conditionValues, Expressions } from './expressions.js';
import type { CapturedTable } from './table.js';

/**
 * Has the server compute what the triggers compute, over a row of nulls, and compare what conditions name with a value of
 * each column's sort. In a trigger a comparison that only warns elsewhere fails.
 *
 * @param run Rejects with a DriverError, also for a warning.
 * @throws InvalidInputError when the server cannot.
 */
export async function tryOut(
  plan: CapturePlan,
  table: CapturedTable,
  run: (sql: string) => Promise<unknown>,
): Promise<void> {
  const parts = plan.conditions.map((condition) => {
    const meets = new Expressions({ ...plan, conditions: [condition] }, table).meets('NEW');
    const fits = compared(plan, table, condition);
    return { option: `when.${condition.column}`, sql: overNoRow(table, [meets ?? 'TRUE', ...fits]) };
  });
  const whole = [...computed(plan, table), ...plan.conditions.flatMap((each) => compared(plan, table, each))];
  await tryCapture(plan, overNoRow(table, whole), parts, run);
}

function computed(plan: CapturePlan, table: CapturedTable): readonly string[] {
  const sql = new Expressions(plan, table);
  const rows = (['NEW', 'OLD'] as const).flatMap((row) => [sql.key(row), sql.meets(row)]);
  const payload = sql.payload("'op', 'update'", sql.id('NEW'), ['OLD', 'NEW']);
  const others = [sql.id('OLD'), sql.sameId(), sql.sameKey(), sql.changed(), payload];
  return [...rows, ...others].flatMap((each) => each ?? []).filter((each) => each !== '');
}

function overNoRow({ name }: CapturedTable, values: readonly string[]): string {
  const none = (row: string): string => `LEFT JOIN (SELECT * FROM ${name} LIMIT 0) AS ${row} ON TRUE`;
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
  const given = conditionValues(column.type, values);
  return TIMES.includes(column.type) ? given : [`${sample(column)} IN (${given.join(', ')})`];
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function sample({ type }: Column): string {
  if (NUMBERS.includes(type)) return '1';
  return BYTES.includes(type) ? "CAST('x' AS BINARY)" : "'x'";
}

/** Any text but for an ENUM and a SET. A collation may be blind to capitals and accents. */
function hasMember({ type, members }: Column, value: string): boolean {
  if (members.length === 0) return true;
  const known = members.map(folded);
  if (type === 'enum') return known.includes(folded(value));
  return value === '' || value.split(',').every((member) => known.includes(folded(member)));
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trimEnd();
}
