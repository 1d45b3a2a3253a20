import type pg from 'pg';

/** How many sessions wait for a lock. */
export async function waiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ sessions: number }>(
    "SELECT count(*)::integer AS sessions FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0]?.sessions ?? 0;
}
