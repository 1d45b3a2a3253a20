import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** From so long on, in milliseconds. */
const LONG_MS = 600_000;

/** Who keeps vacuum from dead rows for longest. A user sees the sessions of others without their statements. */
const OLDEST = `
  SELECT who, extract(epoch FROM now() - since)::float8 * 1000 AS ms FROM (
    SELECT 'the session ' || pid || ' of ' || coalesce(usename, '?') || ' (' || application_name || ', ' || coalesce(state, '?') || ')' AS who,
           xact_start AS since
    FROM pg_stat_activity WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
    UNION ALL
    SELECT 'the prepared transaction ' || quote_literal(gid), prepared FROM pg_prepared_xacts WHERE database = current_database()
  ) AS held WHERE since < now() - $1::float8 * interval '1 ms' ORDER BY since LIMIT 1`;

/** Looks for a transaction that has been open for long. */
export async function oldTransactions(on: PostgresTransaction, longMs = LONG_MS): Promise<readonly Fault[]> {
  const [row] = await query<{ who: string; ms: number }>(on, OLDEST, [longMs]);
  if (row === undefined) return [];
  return [
    {
      severity: 'warning',
      what: `A transaction has been open for ${Math.round(row.ms / 60_000)} min: ${row.who}.`,
      why: 'Vacuum removes no row that was alive when it began, so claims walk over more and more dead ones.',
      remedy: 'End it, by pg_terminate_backend() or ROLLBACK PREPARED. Long handlers take claim: lease.',
    },
  ];
}
