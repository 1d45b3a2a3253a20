import { DriverError } from '@rowlock/core';
import { type PostgresTransaction, query } from '../query.js';
import type { Tables } from './tables.js';

/**
 * Whether rows of a table in pg_class are hidden from this user. A policy that lets the user see and write every row hides none.
 *
 * @param commands What such a policy is for.
 */
export function hidesRows(table: string, commands: string): string {
  return `row_security_active(${table}.oid)
    AND (EXISTS (SELECT FROM pg_policy WHERE polrelid = ${table}.oid AND NOT polpermissive)
      OR NOT EXISTS (
        SELECT FROM pg_policy
        WHERE polrelid = ${table}.oid AND polpermissive AND polcmd IN (${commands})
          AND pg_get_expr(polqual, polrelid) = 'true' AND coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true'
          AND EXISTS (SELECT FROM unnest(polroles) AS role (id) WHERE id = 0 OR pg_has_role(id, 'USAGE'))))`;
}

/** The tables in $1 whose rows are hidden. */
const HIDDEN = `
  SELECT coalesce(jsonb_agg(relname ORDER BY relname), '[]') AS hidden FROM pg_class AS own
  WHERE oid = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)) AND ${hidesRows('own', "'*'")}`;

/**
 * Checks that row level security hides no rows. A worker would find no job, and nobody would be told.
 *
 * @throws DriverError `PermissionDenied`
 */
export async function verifyRows(on: PostgresTransaction, tables: Tables): Promise<void> {
  const [row] = await query<{ hidden: readonly string[] }>(on, HIDDEN, [Object.values(tables)]);
  if (row === undefined || row.hidden.length === 0) return;
  throw new DriverError(
    'PermissionDenied',
    `Row level security hides rows from this database user, in ${row.hidden.join(', ')}. ` +
      'Give the user BYPASSRLS, or each of these tables a policy for it: CREATE POLICY … TO … USING (true).',
  );
}
