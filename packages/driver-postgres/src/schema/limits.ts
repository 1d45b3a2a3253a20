import type { ConnectionLimit } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';

interface Row {
  readonly kind: 'server' | 'database' | 'role';
  readonly name: string;
  readonly most: number;
  readonly used: bigint;
}

/**
 * The limits that hold for this user. A superuser is beyond those of the database and of the role.
 * Everybody may see how many sessions there are, and whose.
 */
const LIMITS = `
  WITH session AS (
    SELECT datid, usesysid FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL
  ), role AS (
    SELECT oid, rolname, rolconnlimit, rolsuper FROM pg_roles WHERE rolname = session_user
  )
  SELECT 'server' AS kind, '' AS name,
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer
           - coalesce(current_setting('reserved_connections', true)::integer, 0) AS most,
         (SELECT count(*) FROM session) AS used
  UNION ALL
  SELECT 'database', datname, datconnlimit, (SELECT count(*) FROM session WHERE datid = database.oid)
  FROM pg_database AS database, role
  WHERE datname = current_database() AND datconnlimit >= 0 AND NOT rolsuper
  UNION ALL
  SELECT 'role', rolname, rolconnlimit, (SELECT count(*) FROM session WHERE usesysid = role.oid)
  FROM role WHERE rolconnlimit >= 0 AND NOT rolsuper`;

const NAMES: Readonly<Record<Row['kind'], string>> = {
  server: "the server's max_connections, without the reserved ones,",
  database: 'the CONNECTION LIMIT of the database',
  role: 'the CONNECTION LIMIT of the role',
};

/** The server's limits on connections. @param open How many connections this pool has now. @throws DriverError */
export async function limitsOf(on: PostgresTransaction, open: number): Promise<readonly ConnectionLimit[]> {
  const rows = await query<Row & { [column: string]: unknown }>(on, LIMITS);
  return rows.map(({ kind, name, most, used }) => ({
    name: `${NAMES[kind]} ${name}`.trim(),
    most,
    used: Math.max(0, Number(used) - open),
  }));
}
