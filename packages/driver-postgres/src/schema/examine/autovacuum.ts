import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

const OFF = `
  SELECT 'The table ' || relname || ' has autovacuum_enabled = false' AS what FROM pg_class, unnest(reloptions) AS option
  WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r' AND option ~* '^autovacuum_enabled=(false|off|no|0)$'
  UNION ALL
  SELECT 'The server has autovacuum = off' WHERE current_setting('autovacuum') = 'off'`;

/** Looks for tables that nobody vacuums. */
export async function autovacuum(on: PostgresTransaction, schema: string): Promise<readonly Fault[]> {
  const rows = await query<{ what: string }>(on, OFF, [schema]);
  return rows.map(({ what }) => ({
    severity: 'warning',
    what: `${what}.`,
    why: 'Each job leaves dead rows, and claims get slower with them.',
    remedy: 'ALTER TABLE … RESET (autovacuum_enabled), or switch it on for the server.',
  }));
}
