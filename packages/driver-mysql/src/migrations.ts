import { readdir, readFile } from 'node:fs/promises';
import { DriverError, type MigrationReport } from '@rowlock/core';
import type { Connection } from 'mysql2/promise';
import type { Context } from './context.js';
import { toDriverError } from './errors.js';
import { identifier } from './identifier.js';
import { query } from './query.js';
import { STRICT } from './session.js';

const FOLDER = new URL('../migrations/', import.meta.url);

/** How long a process waits for another one that migrates, in seconds. */
const LOCK_SECONDS = 60;

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

/** All migrations as one script that a DBA can read, and run as it is with the mysql client. */
export async function migrationScript(schema: string): Promise<string> {
  const parts = (await migrations()).map(({ version, name, sql }) => {
    return `-- ${name}\n${forTheClient(sql.trim())}\n\nINSERT IGNORE INTO rowlock_migration (version, name) VALUES (${version}, '${name}');\n`;
  });
  return `-- Rowlock's tables in the database ${identifier(schema)}.\n\nUSE ${identifier(schema)};\nSET SESSION ${STRICT};\n\n${PREPARE};\n\n${parts.join('\n')}`;
}

/** The client ends a statement at the first semicolon, also inside a procedure, unless it is told otherwise. */
function forTheClient(sql: string): string {
  return sql.replace(
    /^CREATE PROCEDURE.*?^END;$/gms,
    (text) => `DELIMITER $$\n${text.slice(0, -1)}$$\nDELIMITER ;`,
  );
}

const PREPARE = `CREATE TABLE IF NOT EXISTS rowlock_migration (
  version     INT NOT NULL PRIMARY KEY,
  name        VARCHAR(128) NOT NULL,
  applied_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
) ENGINE = InnoDB`;

/**
 * Applies what is missing, under a lock, so that of many processes one does it. MySQL commits each statement that
 * defines something by itself: one that was interrupted is begun again, and every statement can be run twice.
 *
 * @param client A connection to the database, that takes several statements at once.
 */
export async function migrate(client: Connection, { sql, lockPrefix }: Context): Promise<MigrationReport> {
  try {
    const [lock] = await query<{ held: number }>(client, 'SELECT GET_LOCK(?, ?) AS held', [
      `${lockPrefix}migrate`,
      LOCK_SECONDS,
    ]);
    if (lock?.held !== 1) {
      throw new DriverError('LockTimeout', `Another process has been migrating for ${LOCK_SECONDS} seconds.`);
    }
    await client.query(PREPARE);
    const [row] = await query<{ version: number }>(client, sql.schemaVersion);
    const from = row?.version ?? 0;
    const missing = (await migrations()).filter((migration) => migration.version > from);
    const isMariaDb = await runsMariaDb(client);
    for (const migration of missing) {
      await client.query(isMariaDb ? forMariaDb(migration.sql) : migration.sql);
      const values = [migration.version, migration.name];
      await query(client, 'INSERT IGNORE INTO rowlock_migration (version, name) VALUES (?, ?)', values);
    }
    return { from, to: missing.at(-1)?.version ?? from, applied: missing.map(({ name }) => name) };
  } catch (error) {
    throw toDriverError(error);
  } finally {
    await query(client, 'SELECT RELEASE_LOCK(?)', [`${lockPrefix}migrate`]).catch(() => {});
  }
}

/** Each compares to the byte and to the last blank; neither server knows the other's. */
const MYSQL_COLLATION = 'utf8mb4_0900_bin';
const MARIADB_COLLATION = 'utf8mb4_nopad_bin';

/**
 * MariaDB keeps JSON as text with a CHECK of its own, JSON_VALID, which knows 32 levels, and MySQL 100. A CHECK that is
 * written out takes its place: what JSON_VALID refuses is looked at by a grammar, so that broken text is refused still.
 */
function forMariaDb(sql: string): string {
  return sql
    .replaceAll(MYSQL_COLLATION, MARIADB_COLLATION)
    .replace("JSON_TYPE(metadata) = 'OBJECT'", "metadata REGEXP '^[[:space:]]*[{]'")
    .replace(
      /^( {2}(`?\w+`?) +JSON\b.*?)(,?)$/gm,
      (_, column: string, name: string, comma: string) =>
        `${column} CHECK (JSON_VALID(${name}) OR ${name} REGEXP '${JSON_GRAMMAR}')${comma}`,
    );
}

const JSON_GRAMMAR = [
  '(?(DEFINE)(?<gap>[[:space:]]*+)',
  String.raw`(?<text>"(?:[^"\\\\]++|\\\\.)*+")`,
  '(?<number>-?(?:0|[1-9][0-9]*+)(?:[.][0-9]++)?+(?:[eE][-+]?[0-9]++)?+)',
  '(?<pair>(?&gap)(?&text)(?&gap):(?&value))',
  '(?<object>[{](?:(?&pair)(?:,(?&pair))*+|(?&gap))[}])',
  '(?<array>[[](?:(?&value)(?:,(?&value))*+|(?&gap))[]])',
  '(?<value>(?&gap)(?>(?&object)|(?&array)|(?&text)|(?&number)|true|false|null)(?&gap)))',
  '^(?&value)$',
].join('');

async function runsMariaDb(client: Connection): Promise<boolean> {
  const [row] = await query<{ version: string }>(client, 'SELECT VERSION() AS version');
  return row?.version.includes('MariaDB') ?? false;
}

/** @throws DriverError `SchemaOutdated` when the tables are missing or older than the files. */
export function refuseOutdated(found: number, expected: number, schema: string): void {
  if (found >= expected) return;
  throw new DriverError(
    'SchemaOutdated',
    `Rowlock's tables in the database ${JSON.stringify(schema)} are at version ${found} and this driver needs ${expected}. ` +
      'Run rowlock.migrate(), or let a DBA run what `rowlock-mysql sql` prints.',
  );
}
