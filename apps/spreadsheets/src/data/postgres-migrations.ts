import type { Pool } from 'pg';
import { migrationFiles } from './migration-files.js';

/** Any number that no other application of this database uses for an advisory lock. */
const LOCK = 7_215_508_144_501;

/**
 * Brings the application's own tables up to date. Many processes may do this at once: the first one works, the
 * others wait for its transaction and find nothing left to do.
 */
export async function migrate(pool: Pool): Promise<readonly string[]> {
  const files = await migrationFiles('postgres');
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(PREPARE);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM spreadsheets.migration');
    const done = new Set(rows.map(({ name }) => name));
    const due = files.filter(({ name }) => !done.has(name));
    for (const { name, sql } of due) {
      await client.query(sql);
      await client.query('INSERT INTO spreadsheets.migration (name) VALUES ($1)', [name]);
    }
    await client.query('COMMIT');
    client.release();
    return due.map(({ name }) => name);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS spreadsheets;
  CREATE TABLE IF NOT EXISTS spreadsheets.migration (
    name       text        PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  );`;
