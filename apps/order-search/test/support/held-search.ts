import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';

/** The search table, locked, so that a search waits for as long as a test wants. */
export interface HeldSearch {
  /** How many searches wait in the server. */
  waiting(): Promise<number>;
  /** Lets them go on. */
  free(): Promise<void>;
}

export async function holdSearch(url: string): Promise<HeldSearch> {
  return url.startsWith('mysql:') ? onMysql(url) : onPostgres(url);
}

async function onPostgres(connectionString: string): Promise<HeldSearch> {
  // A transaction sees the activity as it was at its first look.
  const [holder, reader] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  await holder.connect();
  await reader.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE orders.search');
  return {
    async waiting() {
      const { rows } = await reader.query<{ n: number }>(
        `SELECT count(*)::integer AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%SELECT ord_no, lines%'`,
      );
      return rows[0]?.n ?? 0;
    },
    async free() {
      await holder.end();
      await reader.end();
    },
  };
}

async function onMysql(uri: string): Promise<HeldSearch> {
  const holder = await createConnection(uri);
  await holder.query('LOCK TABLE order_search WRITE');
  const reader = await createConnection(uri);
  return {
    async waiting() {
      // The list in information_schema is an error while any session of the server runs a statement with an emoji.
      const [rows] = await reader.query<(RowDataPacket & { n: number })[]>(
        `SELECT COUNT(*) AS n FROM performance_schema.processlist
         WHERE db = DATABASE() AND state = 'Waiting for table metadata lock' AND info LIKE '%SELECT ord_no, \`lines\`%'`,
      );
      return rows[0]?.n ?? 0;
    },
    async free() {
      await holder.end();
      await reader.end();
    },
  };
}
