import { readFile } from 'node:fs/promises';
import { isDriverError } from '@rowlock/core';
import type { Fault } from '@rowlock/core/driver';
import { missingTables } from '@rowlock/sql-drivers';
import { identifier } from '../../identifier.js';
import { type MysqlTransaction, query } from '../../query.js';

/**
 * The columns and which of them have defaults, the indexes with their columns, and the procedures that workers call. Their definitions are left out, as the servers and
 * their versions write them in different ways. An account sees those of the tables to which it has rights.
 */
const OBJECTS = `
  SELECT CONCAT('column ', TABLE_NAME, '.', COLUMN_NAME) AS name FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%'
  UNION ALL
  SELECT CONCAT('default ', TABLE_NAME, '.', COLUMN_NAME) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND (
    IS_NULLABLE = 'NO' AND COLUMN_DEFAULT IS NOT NULL OR EXTRA LIKE '%auto_increment%' OR COALESCE(GENERATION_EXPRESSION, '') <> '')
  UNION ALL
  SELECT CONCAT('procedure ', ROUTINE_NAME) FROM information_schema.ROUTINES
  WHERE ROUTINE_SCHEMA = ? AND ROUTINE_NAME LIKE 'rowlock\\_%' AND ROUTINE_NAME NOT IN ('rowlock_enqueue', 'rowlock_pause', 'rowlock_resume')`;

/** Settings of a session may cut what the server puts together or in order. */
const INDEXES = `
  SELECT CONCAT(TABLE_NAME, '.', INDEX_NAME) AS name, COLUMN_NAME AS of_column, SEQ_IN_INDEX AS place
  FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%'`;

interface Indexed {
  readonly name: string;
  readonly of_column: string;
  readonly place: number;
}

export async function objectsOf(on: MysqlTransaction, schema: string): Promise<ReadonlySet<string>> {
  const rows = await query<{ name: string }>(on, OBJECTS, [schema, schema, schema]);
  const indexed = await query<Indexed>(on, INDEXES, [schema]);
  const inOrder = indexed.toSorted((one, other) => Number(one.place) - Number(other.place));
  const indexes = [...Map.groupBy(inOrder, ({ name }) => name)].map(
    ([name, columns]) => `index ${name}(${columns.map((each) => each.of_column).join(', ')})`,
  );
  return new Set([...rows.map(({ name }) => name), ...indexes]);
}

/** What the migrations make, as `objectsOf` finds it. A test writes the file. */
export async function expectedObjects(): Promise<readonly string[]> {
  const text = await readFile(new URL('../../../migrations/objects.txt', import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

/** Compares the tables with what the migrations make. What else is in the database does not count. */
export async function drift(on: MysqlTransaction, schema: string): Promise<readonly Fault[]> {
  const [expected, found] = await Promise.all([expectedObjects(), objectsOf(on, schema)]);
  const missing = expected.filter((name) => !found.has(name));
  const hidden = await hiddenTables(
    on,
    schema,
    missing.flatMap((name) => tableIn(name) ?? []),
  );
  const tables = missingTables(expected, [...found]).filter((name) => !hidden.has(name));
  const objects = missing.filter(
    (name) => !hidden.has(tableIn(name) ?? '') && !tables.includes(tableIn(name) ?? ''),
  );
  return [...tables.map((name) => `table ${name}`), ...objects].map((name) => ({
    severity: 'broken',
    what: `The ${name} of the database ${schema} is missing.`,
    why: 'Statements fail, or read whole tables.',
    remedy:
      'Make it again as `rowlock sql mysql` prints it. A procedure may be there, and not be shown to this account: GRANT EXECUTE.',
  }));
}

function tableIn(name: string): string | undefined {
  return /^(?:column|default|index) (\w+)\./.exec(name)?.[1];
}

/** Those of these tables that are there, and to which this account has no right. */
async function hiddenTables(
  on: MysqlTransaction,
  schema: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const name of new Set(names))
    await query(on, `SELECT 1 FROM ${identifier(schema)}.${identifier(name)} LIMIT 0`).catch(
      (error: unknown) => {
        if (isDriverError(error, 'PermissionDenied')) hidden.add(name);
      },
    );
  return hidden;
}
