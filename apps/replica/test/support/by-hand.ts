import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';

export type Value = string | number | null;

/** A session of a database, for plain SQL with `?` for its values. Returns rows of texts. */
export type Ask = (
  sql: string,
  values?: readonly Value[],
) => Promise<readonly (readonly (string | null)[])[]>;

/** Runs statements in a session of their own. */
export async function byHand<Result>(url: string, work: (ask: Ask) => Promise<Result>): Promise<Result> {
  return url.startsWith('mysql:') ? onMysql(url, work) : onPostgres(url, work);
}

/** The whole table, in the order of its ids. */
export async function itemsOf(url: string) {
  return byHand(url, (ask) => ask('SELECT id, name, price, note FROM item ORDER BY id'));
}

/** The turns that no run has ended. */
export async function turnsOf(url: string) {
  return byHand(url, (ask) => ask('SELECT id, run FROM item_turn'));
}

async function onPostgres<Result>(
  connectionString: string,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString, types: { getTypeParser: () => String } });
  // The statement that finds the connection lost says so.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(async (sql, values = []) => {
      let n = 0;
      const text = sql.replaceAll('?', () => `$${++n}`);
      return (await client.query({ text, values: [...values], rowMode: 'array' })).rows;
    });
  } finally {
    await client.end().catch(() => {});
  }
}

async function onMysql<Result>(uri: string, work: (ask: Ask) => Promise<Result>): Promise<Result> {
  const client = await createConnection({ uri, charset: 'utf8mb4' });
  client.on('error', () => {});
  try {
    return await work(async (sql, values = []) => {
      const [rows] = await client.query<RowDataPacket[][]>({ sql, values: [...values], rowsAsArray: true });
      return Array.isArray(rows) ? rows.map((row) => row.map(asText)) : [];
    });
  } finally {
    client.destroy();
  }
}

function asText(value: unknown): string | null {
  return value === null ? null : String(value);
}
