import { droppedTables } from '@rowlock/sql-drivers';
import { type PostgresTransaction, query } from '../query.js';
import { functions, tables } from './tables.js';

const MISSING = `
  SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL
  UNION ALL
  SELECT name || '()' FROM unnest($2::text[]) AS name WHERE to_regproc(name) IS NULL`;

/** The tables and functions that are not there. */
export async function missingTables(on: PostgresTransaction, schema: string): Promise<readonly string[]> {
  const values = [Object.values(tables(schema)), Object.values(functions(schema))];
  return (await query<{ name: string }>(on, MISSING, values)).map(({ name }) => name);
}

/** @throws DriverError `SchemaDiffers` when some are missing, of tables whose migrations are on record. */
export function refuseMissing(missing: readonly string[], schema: string): void {
  if (missing.length > 0) throw droppedTables(missing, 'schema', schema);
}
