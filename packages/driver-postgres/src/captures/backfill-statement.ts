import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { Expressions } from './expressions.js';
import { insertJobs, jobRow } from './job-rows.js';
import type { CapturedTable } from './table.js';

/**
 * Enqueues the jobs of the next rows, and returns how many rows it read, and the id of the last one. $1 is the number of
 * rows, $2 the priority, and those behind them the id of the row before. Locks no row: a row that changes meanwhile is captured.
 */
export function backfillStatement(
  plan: CapturePlan,
  context: Context,
  table: CapturedTable,
  isFirst: boolean,
): string {
  const sql = new Expressions(plan, table);
  const names = plan.id.map((name) => `n.${identifier(name)}`);
  const after = plan.id.map((name, place) => `$${place + 3}::text::${table.columns.get(name)?.cast}`);
  const read = [
    ...new Set([...plan.id, ...plan.key, ...plan.columns, ...plan.conditions.map(({ column }) => column)]),
  ];
  const meets = sql.meets('n');
  const order = names.join(', ');
  const jobs = insertJobs(
    context,
    `SELECT ${jobRow(plan, sql.key('n'), `'op', 'backfill', 'id', ${sql.id('n')}${sql.values(['n'])}`, '$2::smallint')}
      FROM step AS n${meets === null ? '' : ` WHERE ${meets}`}
      ORDER BY ${order}`,
  );
  return `
    WITH step AS MATERIALIZED (
      SELECT ${read.map((name) => `n.${identifier(name)}`).join(', ')}
      FROM ${table.hasChildren ? 'ONLY ' : ''}${table.name} AS n
      ${isFirst ? '' : `WHERE (${order}) > (${after.join(', ')})`}
      ORDER BY ${order} LIMIT $1
    ), written AS (
      ${jobs}
    )
    SELECT (SELECT count(*)::integer FROM step) AS rows,
           (SELECT ${sql.id('n')} FROM step AS n ORDER BY ${names.map((name) => `${name} DESC`).join(', ')} LIMIT 1) AS last`;
}
