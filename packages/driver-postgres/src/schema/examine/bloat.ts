import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** From so many dead rows on. */
const MANY = 100_000;

const DEAD = `
  SELECT relname AS "table", n_dead_tup AS dead, n_live_tup AS live, last_autovacuum::text AS vacuumed
  FROM pg_stat_user_tables WHERE schemaname = $1 AND n_dead_tup >= $2 AND n_dead_tup > n_live_tup ORDER BY n_dead_tup DESC`;

interface Row {
  readonly table: string;
  readonly dead: bigint;
  readonly live: bigint;
  readonly vacuumed: string | null;
}

/** Looks for tables that are dead rows for the most part. */
export async function bloat(on: PostgresTransaction, schema: string): Promise<readonly Fault[]> {
  const rows = await query<Row & { [column: string]: unknown }>(on, DEAD, [schema, MANY]);
  return rows.map(({ table, dead, live, vacuumed }) => ({
    severity: 'warning',
    what: `The table ${table} has ${dead.toLocaleString('en-US')} dead rows beside ${live.toLocaleString('en-US')}. Its last vacuum: ${vacuumed ?? 'none'}.`,
    why: 'Claims and surveys walk over dead rows.',
    remedy: `Look for an old transaction, and then VACUUM (ANALYZE) ${table}.`,
  }));
}
