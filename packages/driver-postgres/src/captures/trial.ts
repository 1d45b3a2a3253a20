import { DriverError } from '@rowlock/core';
import type { CapturePlan } from '@rowlock/core/driver';
import { tryCapture, tryValues } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import type { Column } from './column.js';
import { keepsSql } from './condition.js';
import { Expressions } from './expressions.js';
import { type CapturedTable, columnOf } from './table.js';
import { TriggerFunction } from './trigger-function.js';

/**
 * Has the server compute what the triggers compute, over no row, and looks whether columns can have the values of conditions.
 *
 * @param run In the settings that the triggers have.
 * @throws InvalidInputError when the server cannot.
 */
export async function tryOut(
  plan: CapturePlan,
  context: Context,
  table: CapturedTable,
  run: (sql: string) => Promise<readonly { readonly keeps: boolean }[]>,
): Promise<void> {
  // Triggers of rows compute the same, of records that only a trigger has.
  const { selects } = new TriggerFunction(plan, context, { ...table, level: 'statement' });
  const sql = new Expressions(plan, table);
  const parts = plan.conditions.map((condition) => ({
    option: `when.${condition.column}`,
    sql: overNoRow(table, [`SELECT FROM new_rows AS n WHERE ${sql.meets('n', [condition])}`]),
  }));
  await tryCapture(plan, overNoRow(table, selects), parts, run);
  for (const condition of plan.conditions) {
    const column = columnOf(table, condition.column);
    if (!column.isBuiltIn) continue;
    await tryValues(plan, condition, async (values) => {
      const [row] = await run(keepsSql(values, column));
      if (row?.keeps !== true)
        throw new DriverError('InvalidInput', 'The column would cut or round a value.');
    });
  }
}

/**
 * The rows have the columns of the table, whatever becomes of the table meanwhile, and this user needs no right to it. The
 * OFFSET leaves none of them, and keeps the server from computing ahead.
 */
function overNoRow({ columns }: CapturedTable, selects: readonly string[]): string {
  const nulls = [...columns.values()].map(
    (column) => `NULL::${isCompared(column) ? column.cast : 'text'} AS ${identifier(column.name)}`,
  );
  const none = `(SELECT ${nulls.join(', ')} OFFSET 1)`;
  const from = selects.map((select, n) => `(${select}) AS of_${n}`);
  return `WITH new_rows AS ${none}, old_rows AS ${none} SELECT FROM ${from.join(', ')}`;
}

/** Other types are only read as text, and to make a null of one may call a check of whoever owns it. */
function isCompared({ isBuiltIn, kind }: Column): boolean {
  return isBuiltIn || kind === 'b';
}
