import { isDriverError } from '@rowlock/core';
import type { CapturePlan } from '@rowlock/core/driver';
import { refusedTable } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import type { Product } from '../product.js';
import { type MysqlTransaction, query } from '../query.js';
import { productIn, versionOf } from '../server-version.js';
import type { Column } from './column.js';
import { isKept } from './places.js';

/** A table that can be captured, and its columns. */
export interface CapturedTable {
  readonly schema: string;
  readonly table: string;
  /** Quoted, with its schema. */
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly product: Product;
  /** What of it is not captured. */
  readonly warnings: readonly string[];
}

interface TableRow {
  schema: string;
  name: string;
  type: string;
  engine: string | null;
}

interface ColumnRow {
  name: string;
  type: string;
  full: string;
  nullable: string;
  charset: string | null;
  collation: string | null;
  digits: number | string | null;
  scale: number | string | null;
}

/** The schema and the name of the table. */
export function placeOf({ table }: CapturePlan, schema: string): readonly [schema: string, name: string] {
  const [first = '', second] = table;
  return second === undefined ? [schema, first] : [first, second];
}

/**
 * Reads a table from the catalog.
 *
 * @throws InvalidInputError when it is not there, or cannot be captured.
 */
export async function readTable(
  on: MysqlTransaction,
  { sql, schema }: Context,
  plan: CapturePlan,
): Promise<CapturedTable> {
  const place = placeOf(plan, schema);
  const refuse = (why: string): never => {
    throw refusedTable(plan, why);
  };
  const [row] = await query<TableRow>(on, sql.captures.captureTable, place);
  if (row === undefined) {
    await refuseHidden(on, place);
    return refuse('does not exist');
  }
  if (!TABLES.includes(row.type)) refuse('is a view, or no table. Capture the tables behind it');
  if (row.schema === schema && row.name.startsWith('rowlock_')) refuse("is one of Rowlock's own");
  if (row.engine !== 'InnoDB') refuse(`is kept by ${row.engine}, which has no transactions`);
  const columns = await readColumns(on, sql.captures.captureColumns, place);
  const missing = columnsOf(plan).find((name) => !columns.has(name));
  if (missing !== undefined) refuse(`has no column ${JSON.stringify(missing)}`);
  const keys = await readKeys(on, sql.captures.captureKeys, place);
  if (
    !keys.some((key) => isSame(key, plan.id)) ||
    plan.id.some((name) => columns.get(name)?.notNull !== true)
  )
    refuse(`has no primary key, and no other unique key without nulls, of ${plan.id.join(', ')}`);
  const inexact = plan.id.find((name) => !isKept(columns.get(name)));
  if (inexact !== undefined)
    refuse(
      `has the type ${columns.get(inexact)?.type} in ${JSON.stringify(inexact)}, whose text does not find the row again. Name another unique key as id`,
    );
  const cascades = await query<{ name: string }>(on, sql.captures.captureCascades, place);
  return {
    schema: row.schema,
    table: row.name,
    name: `${identifier(row.schema)}.${identifier(row.name)}`,
    columns,
    product: productIn(await versionOf(on)),
    warnings: [
      ...cascades.map(({ name }) => `What the foreign key ${name} changes in the table is not captured.`),
      ...(isOfUpdatesAlone(plan) ? ['REPLACE of a row is a DELETE and an INSERT, and is not captured.'] : []),
      ...(plan.delete ? ['TRUNCATE of the table, and of a partition, is not captured.'] : []),
    ],
  };
}

/** MariaDB's versioned tables are another type. */
const TABLES: readonly string[] = ['BASE TABLE', 'SYSTEM VERSIONED'];

/** The catalog does not show a table to an account without rights to it. @throws DriverError `PermissionDenied` */
async function refuseHidden(on: MysqlTransaction, place: readonly string[]): Promise<void> {
  await query(on, `SELECT 1 FROM ${place.map(identifier).join('.')} LIMIT 0`).catch((error: unknown) => {
    if (isDriverError(error, 'PermissionDenied')) throw error;
  });
}

async function readColumns(
  on: MysqlTransaction,
  sql: string,
  place: readonly string[],
): Promise<ReadonlyMap<string, Column>> {
  const rows = await query<ColumnRow>(on, sql, place);
  return new Map(
    rows.map(({ name, type, full, nullable, charset, collation, digits, scale }) => [
      name,
      {
        ...{ name, type, full, notNull: nullable === 'NO', members: membersIn(type, full) },
        ...{
          charset: charset ?? '',
          collation: collation ?? '',
          digits: Number(digits),
          scale: Number(scale),
        },
      },
    ]),
  );
}

/** The catalog has them as `enum('it''s','b')`. */
function membersIn(type: string, full: string): readonly string[] {
  if (type !== 'enum' && type !== 'set') return [];
  return [...full.matchAll(/'((?:[^']|'')*)'/g)].map(([, member = '']) => member.replaceAll("''", "'"));
}

/** The columns of each unique key that has whole columns. */
async function readKeys(
  on: MysqlTransaction,
  sql: string,
  place: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const keys = new Map<string, string[]>();
  for (const { key, name } of await query<{ key: string; name: string | null }>(on, sql, place))
    keys.set(key, [...(keys.get(key) ?? []), name ?? '']);
  return [...keys.values()].filter((names) => !names.includes(''));
}

/** The columns that the triggers read, each once. */
export function columnsOf({ id, key, columns, update, conditions }: CapturePlan): readonly string[] {
  const changing = typeof update === 'boolean' ? [] : update;
  return [...new Set([...id, ...key, ...columns, ...changing, ...conditions.map(({ column }) => column)])];
}

function isOfUpdatesAlone({ insert, update, delete: deletes }: CapturePlan): boolean {
  return update !== false && !insert && !deletes;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
