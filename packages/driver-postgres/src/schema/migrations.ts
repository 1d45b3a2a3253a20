import { type DriverError, InvalidInputError, isDriverError } from '@rowlock/core';
import type { MigrationReport } from '@rowlock/core/driver';
import {
  type AppliedMigration,
  despiteLocks,
  type Migration,
  migrationFiles,
  newestVersion,
  outdatedTables,
  refusedMigration,
} from '@rowlock/sql-drivers';
import type { ClientBase } from 'pg';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import { query } from '../query.js';
import { CHECKSUMS } from './checksums.js';
import { type Tables, tables } from './tables.js';
import { missingTables, refuseMissing } from './verify-tables.js';

/** The newest migration, which this driver needs. A constant, as a bundled application lacks the files. */
export const SCHEMA_VERSION = Object.keys(CHECKSUMS).length;

/** The numbered files, in order. @throws DriverError `SchemaOutdated` when they are not there, `SchemaDiffers` when one was edited. */
export function migrations(): Promise<readonly Migration[]> {
  return migrationFiles(new URL('../../migrations/', import.meta.url), '@rowlock/driver-postgres', CHECKSUMS);
}

/**
 * The migrations as one script that a DBA can read, and can run unchanged with psql.
 *
 * @param from The version of the tables. The script has only the later migrations. 0 is an empty database.
 * @throws InvalidInputError when the schema's name cannot be one, or there is no such version.
 */
export async function migrationScript(schema: string, from = 0): Promise<string> {
  if (from > SCHEMA_VERSION)
    throw new InvalidInputError(`'from' must be a version, 0 to ${SCHEMA_VERSION}, and is ${from}.`);
  return scriptOf(await migrations(), schema, from);
}

export function scriptOf(all: readonly Migration[], schema: string, from: number): string {
  const parts = all
    .filter(({ version }) => version > from)
    .map(
      ({ version, name, sql, checksum }) =>
        `-- ${name}\n${sql.trim()}\n\nINSERT INTO rowlock_migration (version, name, checksum)\nVALUES (${version}, '${name}', '${checksum}');\n`,
    );
  const what = from === 0 ? 'for an empty database' : `from version ${from}`;
  const first =
    from === 0 ? `${createSchema(schema)}\n${enter(schema)}\n\n${MIGRATION_TABLE}` : enter(schema);
  return `-- Rowlock's tables in the schema ${identifier(schema)}, ${what}.\n\nBEGIN;\n${LOCK_TIMEOUT}\n${first}\n\n${parts.join('\n')}\nCOMMIT;\n`;
}

/** All claims wait behind a statement that waits for a table. */
const LOCK_TIMEOUT =
  "-- Gives up while an open transaction uses a table that it changes. Run it again then.\nSET LOCAL lock_timeout = '30s';";

function enter(schema: string): string {
  return `SET LOCAL standard_conforming_strings = on;\nSET LOCAL search_path = ${identifier(schema)};`;
}

function createSchema(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS ${identifier(schema)};`;
}

/** Its name says whose it is: an application may keep its own tables in the same schema, and one of them is often `migration`. */
const MIGRATION_TABLE = `CREATE TABLE IF NOT EXISTS rowlock_migration (
  version     integer PRIMARY KEY,
  name        text NOT NULL,
  checksum    text NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);`;

/** Applies the missing migrations, in one transaction and under a lock, so that only one of many processes applies them. */
export async function migrate(client: ClientBase, context: Context): Promise<MigrationReport> {
  const { schema } = context;
  try {
    const report = await despiteLocks((lockSeconds) => inTransaction(client, context, lockSeconds));
    if (report.from <= SCHEMA_VERSION) refuseMissing(await missingTables(client, schema), schema);
    await catchUp(client, tables(schema));
    return report;
  } catch (error) {
    throw refusedMigration(toDriverError(error), 'schema', schema);
  }
}

async function inTransaction(
  client: ClientBase,
  { schema, sql, lockClass }: Context,
  lockSeconds: number,
): Promise<MigrationReport> {
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    // A second process waits as long as the first one takes.
    await client.query('SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lockClass.signed]);
    await client.query(`SET LOCAL lock_timeout = '${lockSeconds}s'`);
    const hasTable = await isThere(client, 'to_regclass', `${identifier(schema)}.rowlock_migration`);
    // IF NOT EXISTS needs the right to create a schema even when the schema exists.
    if (!hasTable && !(await isThere(client, 'to_regnamespace', identifier(schema))))
      await client.query(createSchema(schema));
    await client.query(enter(schema));
    if (!hasTable) await client.query(MIGRATION_TABLE);
    const from = versionIn(await query(client, sql.schema.applied), schema);
    const missing = await missingAfter(from);
    for (const migration of missing) {
      await client.query(migration.sql);
      const { version, name, checksum } = migration;
      const record = 'INSERT INTO rowlock_migration (version, name, checksum) VALUES ($1, $2, $3)';
      await client.query(record, [version, name, checksum]);
    }
    await client.query('COMMIT');
    return { from, to: missing.at(-1)?.version ?? from, applied: missing.map(({ name }) => name) };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw toDriverError(error);
  }
}

/**
 * Sets the ids to come beyond those that are there. A restore, or a switch to a replica, may bring rows without their sequence.
 * A user without rights to the sequences leaves them as they are.
 */
async function catchUp(client: ClientBase, { job, bell }: Tables): Promise<void> {
  for (const table of [job, bell])
    try {
      await query(client, caughtUp(table), [table]);
    } catch (error) {
      if (!isDriverError(error, 'PermissionDenied')) throw error;
    }
}

function caughtUp(table: string): string {
  return `
    SELECT setval(sequence, newest)
    FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS sequence, max(id) AS newest FROM ${table}) AS ids
    WHERE newest > coalesce(pg_sequence_last_value(sequence), 0)`;
}

/** Reads no file when nothing is missing. */
async function missingAfter(version: number): Promise<readonly Migration[]> {
  if (version >= SCHEMA_VERSION) return [];
  return (await migrations()).filter((migration) => migration.version > version);
}

async function isThere(
  client: ClientBase,
  find: 'to_regclass' | 'to_regnamespace',
  name: string,
): Promise<boolean> {
  const [row] = await query<{ there: boolean }>(client, `SELECT ${find}($1) IS NOT NULL AS there`, [name]);
  return row?.there === true;
}

/**
 * The version of the tables, by what was applied to them.
 *
 * @throws DriverError `SchemaDiffers`
 */
export function versionIn(applied: readonly AppliedMigration[], schema: string): number {
  return newestVersion(applied, Object.values(CHECKSUMS), 'schema', schema);
}

/** The error for tables that are missing or older than this driver. */
export function outdated(found: number, schema: string): DriverError {
  return outdatedTables({
    place: 'schema',
    placeName: schema,
    found,
    needed: SCHEMA_VERSION,
    dialect: 'postgres',
  });
}
