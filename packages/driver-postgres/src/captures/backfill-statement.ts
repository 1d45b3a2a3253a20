import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import type { Column } from './column.js';
import { Expressions } from './expressions.js';
import { insertJobs, jobRow } from './job-rows.js';
import { type CapturedTable, columnOf, columnsOf } from './table.js';

/**
 * Enqueues the jobs of the next rows, and returns how many rows it read, and the id of the last one. $1 is the number of
 * rows, $2 the priority, and those behind them the id of the row before. Locks no row: a row that changes meanwhile is captured.
 *
 * @param writes Whether it enqueues. Else it only reads.
 */
export function backfillStatement(
  plan: CapturePlan,
  context: Context,
  table: CapturedTable,
  isFirst: boolean,
  writes: boolean,
): string {
  const sql = new Expressions(plan, table);
  const names = plan.id.map((name) => `n.${identifier(name)}`);
  const read = columnsOf(plan);
  const meets = sql.meets('n');
  const order = names.join(', ');
  const jobs = insertJobs(
    context,
    `SELECT ${jobRow(plan, sql.key('n'), `'op', 'backfill', 'id', ${sql.id('n')}${sql.values(['n'])}`, '$2::smallint')}
      FROM step AS n${meets === null ? '' : ` WHERE ${meets}`}
      ORDER BY ${order}`,
  );
  const written = writes ? `, written AS (\n      ${jobs}\n    )` : ', priority AS (SELECT $2::smallint)';
  return `
    WITH step AS MATERIALIZED (
      SELECT ${read.map((name) => `n.${identifier(name)}`).join(', ')}
      FROM ${table.hasChildren ? 'ONLY ' : ''}${table.name} AS n
      ${isFirst ? '' : `WHERE ${after(plan, table)}`}
      ORDER BY ${order} LIMIT $1
    )${written}
    SELECT (SELECT count(*)::integer FROM step) AS rows,
           (SELECT ${sql.id('n')} FROM step AS n ORDER BY ${names.map((name) => `${name} DESC`).join(', ')} LIMIT 1) AS last`;
}

/**
 * Whether a row comes behind the one whose id is $3 and what follows. A parameter has the type of its column, or the one that
 * its domain is of, so that the text is read by the type's own input function and passes no cast.
 */
function after({ id }: CapturePlan, table: CapturedTable): string {
  const columns = id.map((name) => columnOf(table, name));
  const values = id.map((name) => `n.${identifier(name)}`);
  const given = columns.map(
    ({ cast, collation }, place) =>
      `$${place + 3}::${cast}${collation === null ? '' : ` COLLATE ${collation}`}`,
  );
  const [greater, ...others] = new Set(columns.map((column) => operator(column, GREATER)));
  // The server finds the beginning in an index by all columns.
  if (others.length === 0 && greater !== undefined)
    return `(${values.join(', ')}) ${greater} (${given.join(', ')})`;
  const [first] = columns;
  const bare = columns.map(({ isDomain, cast }, place) => `${values[place]}${isDomain ? `::${cast}` : ''}`);
  const notBefore = first === undefined ? undefined : operator(first, NOT_LESS);
  return [
    ...(notBefore === undefined ? [] : [`${values[0]} ${notBefore} ${given[0]}`]),
    // Compared are records whose columns have the same types and collations.
    `ROW(${bare.join(', ')})::record OPERATOR(pg_catalog.>) ROW(${given.join(', ')})::record`,
  ].join(' AND ');
}

/** Undefined for a type that has none of its own, as an enum: the server's could call a cast of whoever owns the type. */
function operator({ isBuiltIn, operators }: Column, number: keyof typeof SERVERS_OWN): string | undefined {
  return operators?.[number] ?? (isBuiltIn ? SERVERS_OWN[number] : undefined);
}

/** Their numbers in an operator class of a B-tree. https://www.postgresql.org/docs/current/xindex.html */
const NOT_LESS = 4;
const GREATER = 5;

const SERVERS_OWN = { [NOT_LESS]: 'OPERATOR(pg_catalog.>=)', [GREATER]: 'OPERATOR(pg_catalog.>)' } as const;
