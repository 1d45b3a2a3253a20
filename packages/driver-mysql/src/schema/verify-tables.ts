import { isDriverError } from '@rowlock/core';
import { droppedTables } from '@rowlock/sql-drivers';
import { type MysqlTransaction, read } from '../query.js';
import { TABLES } from './statements.js';
import { tables } from './tables.js';

/**
 * Reads no rows: information_schema shows a table only to those who have a right to it.
 *
 * @throws DriverError `SchemaDiffers` when tables are missing whose migrations are on record.
 */
export async function verifyTables(on: MysqlTransaction, schema: string): Promise<void> {
  const named = tables(schema);
  const looks = TABLES.map((name) => ({ name: named[name], look: `(SELECT 1 FROM ${named[name]} LIMIT 0)` }));
  const refused = await refusalOf(on, looks.map(({ look }) => look).join(' UNION ALL '));
  if (refused === undefined) return;
  const missing: string[] = [];
  for (const { name, look } of looks)
    if ((await refusalOf(on, look)) === 'SchemaOutdated') missing.push(name);
  if (missing.length > 0) throw droppedTables(missing, 'database', schema);
}

/** What is said of tables that are missing, or hidden from this account. @throws DriverError for all else */
async function refusalOf(
  on: MysqlTransaction,
  look: string,
): Promise<'SchemaOutdated' | 'PermissionDenied' | undefined> {
  try {
    await read(on, look);
    return undefined;
  } catch (error) {
    if (isDriverError(error, 'SchemaOutdated')) return 'SchemaOutdated';
    if (isDriverError(error, 'PermissionDenied')) return 'PermissionDenied';
    throw error;
  }
}
