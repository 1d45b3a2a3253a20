import type { CapturePlan } from '@rowlock/core/driver';
import { refusedTable } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Queryable, query } from '../query.js';
import { tables } from '../schema/tables.js';
import type { Column } from './column.js';
import { conditionRefusal } from './condition.js';
import { triggerName } from './names.js';

/** A table that can be captured, and its columns. */
export interface CapturedTable {
  /** Quoted, with its schema. */
  readonly name: string;
  /**
   * `statement`: triggers of statements see all rows of one. `row`: triggers of rows, where those of statements would
   * miss what is written straight into a partition, or into a child.
   */
  readonly level: 'statement' | 'row';
  /** Whether an UPDATE of it may move rows between its partitions. */
  readonly movesRows: boolean;
  /** Whether other tables inherit from it, whose rows a query of it would return. */
  readonly hasChildren: boolean;
  /** Whether this user sees not all of its rows. */
  readonly hidesRows: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  /** What of it is not captured. */
  readonly warnings: readonly string[];
  /** Who writes to it as a replica: a sentence each. Only triggers that are enabled ALWAYS fire for them. */
  readonly replicas: readonly string[];
}

interface TableRow {
  schema: string;
  name: string;
  kind: string;
  is_temporary: boolean;
  is_unlogged: boolean;
  is_partition: boolean;
  is_child: boolean;
  has_children: boolean;
  is_subscribed: boolean;
  has_replicas: boolean;
  hides_rows: boolean;
  /** Those that may change a row behind the one that finds moves. */
  late_triggers: readonly string[] | null;
  columns: readonly Column[] | null;
  unique_keys: readonly (readonly string[])[] | null;
}

/**
 * Reads a table from the catalog.
 *
 * @throws InvalidInputError when it is not there, or cannot be captured.
 */
export async function readTable(
  on: Queryable,
  { sql, schema }: Context,
  plan: CapturePlan,
): Promise<CapturedTable> {
  const [row] = await query<TableRow>(on, sql.captures.captureTable, [
    plan.table.map(identifier).join('.'),
    triggerName(schema, plan.name, 'move'),
  ]);
  const refuse = (why: string): never => {
    throw refusedTable(plan, why);
  };
  if (row === undefined) return refuse('does not exist');
  const name = `${identifier(row.schema)}.${identifier(row.name)}`;
  if (row.is_temporary) refuse('is temporary, and its triggers would end with the session');
  if (row.kind !== 'r' && row.kind !== 'p')
    refuse(`is ${KINDS[row.kind] ?? 'no table'}. Capture the tables behind it`);
  if (Object.values(tables(schema)).includes(`${identifier(row.schema)}.${row.name}`))
    refuse("is one of Rowlock's own");
  const columns = new Map(row.columns?.map((column) => [column.name, column]));
  checkColumns(plan, columns, refuse);
  checkConditions(plan, columns, refuse);
  const isUnique = row.unique_keys?.some((key) => isSame(key, plan.id)) === true;
  if (!isUnique || plan.id.some((column) => columns.get(column)?.notNull !== true))
    refuse(`has no primary key, and no other unique key without nulls, of ${plan.id.join(', ')}`);
  const isRow = row.kind === 'p' || row.is_partition || row.is_child || row.has_children;
  return {
    name,
    level: isRow ? 'row' : 'statement',
    movesRows: row.kind === 'p' && !row.is_partition,
    hasChildren: row.has_children && row.kind === 'r',
    hidesRows: row.hides_rows,
    columns,
    warnings: [...warningsOf(row, isRow), ...lateTriggers(row)],
    replicas: replicasOf(row, isRow),
  };
}

export function columnOf({ columns, name: table }: CapturedTable, name: string): Column {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`The table ${table} has no column ${name}.`);
  return column;
}

const KINDS: Readonly<Record<string, string>> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
};

function checkColumns(
  plan: CapturePlan,
  columns: ReadonlyMap<string, Column>,
  refuse: (why: string) => never,
): void {
  for (const name of columnsOf(plan)) {
    const column = columns.get(name);
    if (column === undefined) refuse(`has no column ${JSON.stringify(name)}`);
    // The value would be null, without an error.
    else if (column.virtual)
      refuse(
        `computes ${JSON.stringify(name)} when it is read, so a trigger does not see it. Make it STORED`,
      );
  }
}

function checkConditions(
  { conditions }: CapturePlan,
  columns: ReadonlyMap<string, Column>,
  refuse: (why: string) => never,
): void {
  for (const condition of conditions) {
    const column = columns.get(condition.column);
    const why = column === undefined ? undefined : conditionRefusal(condition, column);
    if (why !== undefined) refuse(`cannot be captured with when.${condition.column}: ${why}`);
  }
}

/** The columns that the triggers read, each once. */
export function columnsOf({ id, key, columns, update, conditions }: CapturePlan): readonly string[] {
  const changing = typeof update === 'boolean' ? [] : update;
  return [...new Set([...id, ...key, ...columns, ...changing, ...conditions.map(({ column }) => column)])];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** Of the table with partitions alone: only there rows move. */
function lateTriggers({ kind, is_partition: isPartition, late_triggers: late }: TableRow): readonly string[] {
  if (kind !== 'p' || isPartition) return [];
  return (late ?? []).map(
    (name) =>
      `The trigger ${JSON.stringify(name)} changes rows behind those of Rowlock, so that an UPDATE which it moves to another partition is a DELETE and an INSERT. Give it a name that comes before zz_ in the alphabet.`,
  );
}

function warningsOf(row: TableRow, isRow: boolean): readonly string[] {
  return whereTrue([
    [
      row.kind === 'p',
      'The table is partitioned, so each changed row is a job: bulk does not apply. A partition that is truncated, dropped, attached or detached by itself is not captured.',
    ],
    [
      row.is_partition,
      'The table is a partition: an UPDATE that moves a row to another partition is a DELETE here, or an INSERT.',
    ],
    [
      row.has_children && row.kind === 'r',
      'Other tables inherit from the table. Their rows are not captured: capture these tables too.',
    ],
    [row.is_unlogged, 'The table is UNLOGGED: a crash of the server empties it, which is not captured.'],
    [
      row.hides_rows,
      'Row level security hides rows of the table from this database user, so that a backfill is refused.',
    ],
    [row.is_subscribed && !isRow, 'A subscription writes to the table. Its changes are not captured.'],
  ]);
}

function replicasOf(row: TableRow, isRow: boolean): readonly string[] {
  return whereTrue([
    [row.is_subscribed && isRow, 'A subscription writes to the table.'],
    [
      row.has_replicas,
      'By the settings of a user, the database or the server, sessions have session_replication_role = replica.',
    ],
  ]);
}

function whereTrue(sentences: readonly (readonly [boolean, string])[]): readonly string[] {
  return sentences.filter(([applies]) => applies).map(([, sentence]) => sentence);
}
