import { isDriverError } from '@rowlock/core';
import { type AppliedMigration, droppedTables } from '@rowlock/sql-drivers';
import { type MysqlTransaction, read } from '../query.js';
import type { Statements } from '../statements.js';
import { TABLES } from './statements.js';
import { tables } from './tables.js';

/** What was applied to the tables. */
interface Applied {
  readonly applied: readonly AppliedMigration[];
  /** Whether all tables are there. Otherwise some are missing, or hidden from this account. */
  readonly isToAll: boolean;
}

/** Takes one round trip where all is well. */
export async function appliedTo(on: MysqlTransaction, sql: Statements['schema']): Promise<Applied> {
  try {
    return { applied: await read<AppliedMigration>(on, sql.appliedToAll), isToAll: true };
  } catch (error) {
    if (!isAbsent(error) && !isDriverError(error, 'PermissionDenied')) throw error;
  }
  try {
    return { applied: await read<AppliedMigration>(on, sql.applied), isToAll: false };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return { applied: [], isToAll: false };
  }
}

/**
 * Reads no rows: information_schema shows a table only to those who have a right to it.
 *
 * @throws DriverError `SchemaDiffers` when tables are missing whose migrations are on record.
 */
export async function verifyTables(on: MysqlTransaction, schema: string): Promise<void> {
  const named = tables(schema);
  const missing: string[] = [];
  for (const name of TABLES)
    await read(on, `SELECT 1 FROM ${named[name]} LIMIT 0`).catch((error: unknown) => {
      if (isAbsent(error)) missing.push(named[name]);
      else if (!isDriverError(error, 'PermissionDenied')) throw error;
    });
  if (missing.length > 0) throw droppedTables(missing, 'database', schema);
}

function isAbsent(error: unknown): boolean {
  return isDriverError(error, 'SchemaOutdated');
}
