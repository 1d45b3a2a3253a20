import { DriverError, InvalidInputError, isDriverError } from '@rowlock/core';
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
import type { Connection } from 'mysql2/promise';
import { STRICT } from '../connection/session-settings.js';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import { type Product, spelledFor } from '../product.js';
import { query } from '../query.js';
import { checkVersion, productIn, versionOf } from '../server-version.js';
import { CHECKSUMS } from './checksums.js';
import { verifyTables } from './verify-tables.js';

/** The newest migration, which this driver needs. A constant, as a bundled application lacks the files. */
export const SCHEMA_VERSION = Object.keys(CHECKSUMS).length;

/** How long a process waits for another one that migrates, in seconds. */
const LOCK_SECONDS = 60;

/** The numbered files, in order. @throws DriverError `SchemaOutdated` when they are not there, `SchemaDiffers` when one was edited. */
export function migrations(): Promise<readonly Migration[]> {
  return migrationFiles(new URL('../../migrations/', import.meta.url), '@rowlock/driver-mysql', CHECKSUMS);
}

/**
 * The migrations as one script that a DBA can read, and can run unchanged with the mysql or the mariadb client.
 *
 * @param from The version of the tables. The script has only the later migrations. 0 is an empty database.
 * @throws InvalidInputError when the schema's name cannot be one, or there is no such version.
 */
export async function migrationScript(schema: string, product: Product = 'MySQL', from = 0): Promise<string> {
  if (from > SCHEMA_VERSION)
    throw new InvalidInputError(`'from' must be a version, 0 to ${SCHEMA_VERSION}, and is ${from}.`);
  const parts = (await migrations())
    .filter(({ version }) => version > from)
    .map(({ version, name, sql, checksum }) => {
      return `-- ${name}\n${forTheClient(spelledFor(product, sql).trim())}\n\nINSERT IGNORE INTO rowlock_migration (version, name, checksum)\nVALUES (${version}, '${name}', '${checksum}');\n`;
    });
  const what = from === 0 ? '' : `, from version ${from}`;
  return `-- Rowlock's tables in the database ${identifier(schema)}, for ${product}${what}.\n\n${REFUSE_OTHERS[product]};\nUSE ${identifier(schema)};\nSET SESSION ${STRICT};\n${LOCK_TIMEOUT}\n${NAMES};\n\n${PREPARE};\n\n${parts.join('\n')}`;
}

/** All claims wait behind a statement that waits for a table. */
const LOCK_TIMEOUT =
  '-- Gives up while an open transaction uses a table that it changes. Run it again then.\nSET SESSION lock_wait_timeout = 30;';

/** A comment that only the other server runs. Newer MariaDBs would run most of a script for MySQL. */
const REFUSE_OTHERS: Readonly<Record<Product, string>> = {
  MySQL: `/*M! SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'This is for MySQL. For MariaDB print it with --mariadb.' */`,
  MariaDB: `/*!80000 SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'This is for MariaDB. For MySQL print it without --mariadb.' */`,
};

/** Sets another delimiter: the client would end a statement at the first semicolon, also inside a procedure. */
function forTheClient(sql: string): string {
  return sql.replace(
    /^CREATE PROCEDURE.*?^END;$/gms,
    (text) => `DELIMITER $$\n${text.slice(0, -1)}$$\nDELIMITER ;`,
  );
}

/** A procedure keeps the character set and the collation with which it was made. */
const NAMES = 'SET NAMES utf8mb4 COLLATE utf8mb4_bin';

const PREPARE = `CREATE TABLE IF NOT EXISTS rowlock_migration (
  version     INT NOT NULL PRIMARY KEY,
  name        VARCHAR(128) NOT NULL,
  checksum    CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  applied_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`;

/**
 * Applies the missing migrations, under a lock, so that only one of many processes applies them. MySQL commits each statement of a
 * definition by itself. An interrupted migration begins again, and every statement can run twice.
 *
 * @param client A connection to the database that takes several statements at once.
 */
export async function migrate(
  client: Connection,
  { schema, sql, lockPrefix }: Context,
): Promise<MigrationReport> {
  try {
    const [lock] = await query<{ held: number }>(client, 'SELECT GET_LOCK(?, ?) AS held', [
      `${lockPrefix}migrate`,
      LOCK_SECONDS,
    ]);
    if (Number(lock?.held) !== 1) {
      throw new DriverError('LockTimeout', `Another process has been migrating for ${LOCK_SECONDS} seconds.`);
    }
    const server = await versionOf(client);
    checkVersion(server);
    await client.query(NAMES);
    // IF NOT EXISTS needs the right to create a table even when the table exists.
    const applied = await appliedIn(client, sql.schema.applied);
    if (applied === undefined) await client.query(PREPARE);
    const from = versionIn(applied ?? [], schema);
    const missing = await missingAfter(from);
    for (const migration of missing)
      await despiteLocks((lockSeconds) => apply(client, productIn(server), migration, lockSeconds));
    if (from <= SCHEMA_VERSION) await verifyTables(client, schema);
    return { from, to: missing.at(-1)?.version ?? from, applied: missing.map(({ name }) => name) };
  } catch (error) {
    throw refusedMigration(toDriverError(error), 'database', schema);
  } finally {
    await query(client, 'SELECT RELEASE_LOCK(?)', [`${lockPrefix}migrate`]).catch(() => {});
  }
}

async function apply(
  client: Connection,
  product: Product,
  { version, name, sql, checksum }: Migration,
  lockSeconds: number,
): Promise<void> {
  try {
    await client.query(`SET SESSION lock_wait_timeout = ${lockSeconds}`);
    await client.query(spelledFor(product, sql));
    const record = 'INSERT IGNORE INTO rowlock_migration (version, name, checksum) VALUES (?, ?, ?)';
    await query(client, record, [version, name, checksum]);
  } catch (error) {
    throw toDriverError(error);
  }
}

/** What was applied to the tables. Undefined without tables. */
async function appliedIn(client: Connection, sql: string): Promise<readonly AppliedMigration[] | undefined> {
  try {
    return await query<AppliedMigration>(client, sql);
  } catch (error) {
    if (isDriverError(error, 'SchemaOutdated')) return undefined;
    throw error;
  }
}

/**
 * The version of the tables, by what was applied to them.
 *
 * @throws DriverError `SchemaDiffers`
 */
export function versionIn(applied: readonly AppliedMigration[], schema: string): number {
  return newestVersion(applied, Object.values(CHECKSUMS), 'database', schema);
}

/** Reads no file when nothing is missing. */
async function missingAfter(version: number): Promise<readonly Migration[]> {
  if (version >= SCHEMA_VERSION) return [];
  return (await migrations()).filter((migration) => migration.version > version);
}

/** The error for tables that are missing or older than this driver. */
export function outdated(found: number, schema: string, product: Product): DriverError {
  return outdatedTables({
    place: 'database',
    placeName: schema,
    found,
    needed: SCHEMA_VERSION,
    dialect: product.toLowerCase(),
  });
}
