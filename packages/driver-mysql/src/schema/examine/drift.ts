import { readFile } from 'node:fs/promises';
import { isDriverError } from '@rowlock/core';
import type { Fault } from '@rowlock/core/driver';
import { missingTables } from '@rowlock/sql-drivers';
import { identifier } from '../../identifier.js';
import { type MysqlTransaction, query } from '../../query.js';

/**
 * The columns with their types, which of them have defaults, the constraints that CHECK, and the procedures that workers call. Other definitions are left out, as the
 * servers and their versions write them in different ways. An account sees those of the tables to which it has rights.
 */
const OBJECTS = `
  SELECT CONCAT('column ', TABLE_NAME, '.', COLUMN_NAME) AS name,
         CONCAT(COLUMN_TYPE, IF(TABLE_NAME = 'rowlock_migration' OR COLLATION_NAME IS NULL, '', CONCAT(' COLLATE ', COLLATION_NAME)),
                IF(IS_NULLABLE = 'NO', ' NOT NULL', '')) AS definition
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%'
  UNION ALL
  SELECT CONCAT('default ', TABLE_NAME, '.', COLUMN_NAME), '' FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND (
    IS_NULLABLE = 'NO' AND COLUMN_DEFAULT IS NOT NULL OR EXTRA LIKE '%auto_increment%' OR COALESCE(GENERATION_EXPRESSION, '') <> '')
  UNION ALL
  SELECT CONCAT('constraint ', TABLE_NAME, '.', CONSTRAINT_NAME), '' FROM information_schema.TABLE_CONSTRAINTS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND CONSTRAINT_TYPE = 'CHECK'
  UNION ALL
  SELECT CONCAT('procedure ', ROUTINE_NAME), '' FROM information_schema.ROUTINES
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

/** Each object by its kind and name, with its definition, or without one. */
export async function objectsOf(on: MysqlTransaction, schema: string): Promise<ReadonlyMap<string, string>> {
  const values = [schema, schema, schema, schema];
  const rows = await query<{ name: string; definition: string }>(on, OBJECTS, values);
  const indexed = await query<Indexed>(on, INDEXES, [schema]);
  const inOrder = indexed.toSorted((one, other) => Number(one.place) - Number(other.place));
  const indexes = [...Map.groupBy(inOrder, ({ name }) => name)].map(
    ([name, columns]) => `index ${name}(${columns.map((each) => each.of_column).join(', ')})`,
  );
  const objects = new Map([
    ...rows.map(({ name, definition }) => [name, inMysqlsWords(definition)] as const),
    ...indexes.map((name) => [name, ''] as const),
  ]);
  return new Map([...objects].filter(([name]) => !isOfJson(objects, name)));
}

/** Whether it is what MariaDB checks of a column of JSON, under the column's name. */
export function isOfJson(objects: ReadonlyMap<string, string>, constraint: string): boolean {
  const [kind, name] = constraint.split(' ');
  return kind === 'constraint' && objects.get(`column ${name}`)?.startsWith('json') === true;
}

/** MariaDB shows how wide numbers are, has another collation, and stores JSON as text. */
function inMysqlsWords(definition: string): string {
  return definition
    .replace(/^(\w*int)\(\d+\)/, '$1')
    .replace('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
    .replace('longtext COLLATE utf8mb4_bin', 'json');
}

/** What the migrations make, as `objectsOf` finds it on MySQL. A test writes the file. */
export async function expectedObjects(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../../migrations/objects.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', definition = ''] = line.split(': ');
      return [name, definition];
    }),
  );
}

/** Compares the tables with what the migrations make. What else is in the database does not count. */
export async function drift(on: MysqlTransaction, schema: string): Promise<readonly Fault[]> {
  const [expected, found] = await Promise.all([expectedObjects(), objectsOf(on, schema)]);
  // Some servers show a constraint to the accounts alone that may change its table.
  const missing = [...expected.keys()].filter((name) => !found.has(name) && !name.startsWith('constraint '));
  const hidden = await hiddenTables(
    on,
    schema,
    missing.flatMap((name) => tableIn(name) ?? []),
  );
  const tables = missingTables([...expected.keys()], [...found.keys()]).filter((name) => !hidden.has(name));
  const objects = missing.filter(
    (name) => !hidden.has(tableIn(name) ?? '') && !tables.includes(tableIn(name) ?? ''),
  );
  return [
    ...[...tables.map((name) => `table ${name}`), ...objects].map(
      (name): Fault => ({
        severity: 'broken',
        what: `The ${name} of the database ${schema} is missing.`,
        why: 'Statements fail, or read whole tables.',
        remedy:
          'Make it again as `rowlock sql mysql` prints it. A procedure may be there, and not be shown to this account: GRANT EXECUTE.',
      }),
    ),
    ...[...expected].flatMap(([name, definition]) => changed(schema, name, definition, found.get(name))),
  ];
}

function changed(schema: string, name: string, expected: string, found = expected): readonly Fault[] {
  if (found === expected) return [];
  return [
    {
      severity: 'warning',
      what: `The ${name} of the database ${schema} is not as the migrations make it: it is ${found}, and should be ${expected}.`,
      why: 'Values are refused or cut, or names that differ are taken for one.',
      remedy: 'ALTER TABLE … MODIFY it to what `rowlock sql mysql` prints.',
    },
  ];
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
