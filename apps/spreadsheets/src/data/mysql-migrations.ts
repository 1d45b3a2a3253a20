import type { Connection, RowDataPacket } from 'mysql2/promise';
import { migrationFiles } from './migration-files.js';

/** Locks are the server's and not the database's, so that its name is part of theirs, which has at most 64 characters. */
const LOCK = "CONCAT('spreadsheets.migrate.', LEFT(SHA2(DATABASE(), 256), 40))";

/** How long a process waits for another one that migrates, in seconds. */
const LOCK_SECONDS = 60;

/**
 * Brings the application's own tables up to date. Many processes may do this at once: the first one works, the
 * others wait for its lock, which ends with its connection, and find nothing left to do.
 *
 * @param client A connection of its own, which takes several statements at once.
 */
export async function migrate(client: Connection): Promise<readonly string[]> {
  const files = await migrationFiles('mysql');
  const [[lock]] = await client.query<Lock[]>(
    `SELECT GET_LOCK(${LOCK}, ${LOCK_SECONDS}) AS held, VERSION() AS version`,
  );
  if (lock?.held !== 1) throw new Error(`Another process has been migrating for ${LOCK_SECONDS} seconds.`);
  await client.query(PREPARE);
  const [rows] = await client.query<Done[]>('SELECT name FROM spreadsheet_migration');
  const done = new Set(rows.map(({ name }) => name));
  const due = files.filter(({ name }) => !done.has(name));
  for (const { name, sql } of due) {
    await client.query(
      lock.version.includes('MariaDB') ? sql.replaceAll('utf8mb4_0900_bin', 'utf8mb4_nopad_bin') : sql,
    );
    await client.query('INSERT INTO spreadsheet_migration (name) VALUES (?)', [name]);
  }
  return due.map(({ name }) => name);
}

const PREPARE = `
  CREATE TABLE IF NOT EXISTS spreadsheet_migration (
    name       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    applied_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
  ) ENGINE = InnoDB`;

interface Lock extends RowDataPacket {
  readonly held: number | null;
  readonly version: string;
}

interface Done extends RowDataPacket {
  readonly name: string;
}
