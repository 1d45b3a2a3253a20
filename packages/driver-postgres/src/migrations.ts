import { readdir, readFile } from 'node:fs/promises';
import { DriverError, type MigrationReport } from '@rowlock/core';
import type { ClientBase } from 'pg';
import type { Context } from './context.js';
import { toDriverError } from './errors.js';
import { identifier } from './identifier.js';
import { query } from './query.js';

const FOLDER = new URL('../migrations/', import.meta.url);

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The numbered files, in order. */
export async function migrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name: name.replace(/\.sql$/, ''),
      sql: await readFile(new URL(name, FOLDER), 'utf8'),
    })),
  );
}

/** All migrations as one script that a DBA can read, and run as it is with psql. */
export async function migrationScript(schema: string): Promise<string> {
  const parts = (await migrations()).map(
    ({ version, name, sql }) =>
      `-- ${name}\n${sql.trim()}\n\nINSERT INTO migration (version, name) VALUES (${version}, '${name}');\n`,
  );
  return `-- Rowlock's tables in the schema ${identifier(schema)}, for an empty database.\n\nBEGIN;\n${prepare(schema)}\n\n${parts.join('\n')}\nCOMMIT;\n`;
}

function prepare(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS ${identifier(schema)};
SET LOCAL search_path = ${identifier(schema)};

CREATE TABLE IF NOT EXISTS migration (
  version     integer PRIMARY KEY,
  name        text NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);`;
}

/** Applies what is missing, in one transaction and under a lock, so that of many processes one does it. */
export async function migrate(
  client: ClientBase,
  { schema, sql, lockClass }: Context,
): Promise<MigrationReport> {
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lockClass.signed]);
    if (!(await hasMigrationTable(client, schema))) await client.query(prepare(schema));
    await client.query(`SET LOCAL search_path = ${identifier(schema)}`);
    const from = await version(client, sql.schemaVersion);
    const missing = (await migrations()).filter((migration) => migration.version > from);
    for (const migration of missing) {
      await client.query(migration.sql);
      const values = [migration.version, migration.name];
      await client.query('INSERT INTO migration (version, name) VALUES ($1, $2)', values);
    }
    await client.query('COMMIT');
    return { from, to: missing.at(-1)?.version ?? from, applied: missing.map(({ name }) => name) };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw toDriverError(error);
  }
}

async function hasMigrationTable(client: ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${identifier(schema)}.migration`,
  ]);
  return rows[0]?.there === true;
}

async function version(client: ClientBase, schemaVersion: string): Promise<number> {
  const [row] = await query<{ version: number }>(client, schemaVersion);
  return row?.version ?? 0;
}

/** @throws DriverError `SchemaOutdated` when the tables are missing or older than the files. */
export function refuseOutdated(found: number, expected: number, schema: string): void {
  if (found >= expected) return;
  throw new DriverError(
    'SchemaOutdated',
    `Rowlock's tables in the schema ${JSON.stringify(schema)} are at version ${found} and this driver needs ${expected}. ` +
      'Run rowlock.migrate(), or let a DBA run what `rowlock-postgres sql` prints.',
  );
}
