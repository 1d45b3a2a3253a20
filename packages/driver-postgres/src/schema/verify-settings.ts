import { DriverError } from '@rowlock/core';
import { type PostgresTransaction, query } from '../query.js';

const SETTINGS = `
  SELECT current_setting('default_transaction_isolation') AS isolation,
         current_setting('extra_float_digits')::integer AS digits,
         pg_notification_queue_usage() AS usage,
         to_json(current_schemas(true)) AS schemas,
         current_setting('default_transaction_read_only') AS default_transaction_read_only,
         current_setting('array_nulls') AS array_nulls,
         current_setting('standard_conforming_strings') AS standard_conforming_strings`;

/** Where these are otherwise, nulls in arrays become texts, and a backslash in a statement's text vanishes. */
const NEEDED = {
  default_transaction_read_only: 'off',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
} as const;

type Found = Readonly<Record<keyof typeof NEEDED, string>> & {
  readonly isolation: string;
  readonly digits: number;
  readonly usage: number;
  readonly schemas: readonly string[];
};

/** The functions and operators of these schemas that take the place of the server's own. */
const SHADOWS = `
  SELECT nspname || '.' || proname AS name
  FROM pg_catalog.pg_proc AS own JOIN pg_catalog.pg_namespace AS place ON place.oid OPERATOR(pg_catalog.=) pronamespace
  WHERE nspname OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[]) AND EXISTS (
    SELECT FROM pg_catalog.pg_proc AS ours WHERE ours.proname OPERATOR(pg_catalog.=) own.proname
      AND ours.proargtypes OPERATOR(pg_catalog.=) own.proargtypes
      AND ours.pronamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace)
  UNION ALL
  SELECT nspname || '.' || oprname
  FROM pg_catalog.pg_operator AS own JOIN pg_catalog.pg_namespace AS place ON place.oid OPERATOR(pg_catalog.=) oprnamespace
  WHERE nspname OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[]) AND EXISTS (
    SELECT FROM pg_catalog.pg_operator AS ours WHERE ours.oprname OPERATOR(pg_catalog.=) own.oprname
      AND ours.oprleft OPERATOR(pg_catalog.=) own.oprleft AND ours.oprright OPERATOR(pg_catalog.=) own.oprright
      AND ours.oprnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace)
  LIMIT 1`;

const REMEDY =
  'Set it for the user that Rowlock connects as (ALTER ROLE … IN DATABASE … SET …), or for its connections';

/**
 * Checks the session settings that Rowlock's single-statement transactions need. Returns warnings, one sentence each. The driver does not change sessions itself:
 * behind a pooler, or on an application's pool, the session has other users.
 *
 * @throws DriverError
 */
export async function verifySettings(on: PostgresTransaction): Promise<readonly string[]> {
  const [row] = await query<Found>(on, SETTINGS);
  if (row === undefined) return [];
  // Postgres treats 'read uncommitted' as read committed.
  if (!row.isolation.startsWith('read '))
    throw new DriverError(
      'EngineUnsuitable',
      `default_transaction_isolation must be 'read committed', and is '${row.isolation}'. ` +
        `${REMEDY} (options: '-c default_transaction_isolation=read\\\\ committed').`,
    );
  for (const [name, needed] of Object.entries(NEEDED)) {
    const found = row[name as keyof typeof NEEDED];
    if (found !== needed)
      throw new DriverError(
        'EngineUnsuitable',
        `${name} must be ${needed}, and is ${found}. ${REMEDY} (options: '-c ${name}=${needed}').`,
      );
  }
  // Times pass as numbers of 13 digits. The server rounds its numbers to 15 digits, and to fewer below 0.
  if (row.digits < 0)
    throw new DriverError(
      'EngineUnsuitable',
      `extra_float_digits must be 0 or more, and is ${row.digits}. ${REMEDY} (options: '-c extra_float_digits=1').`,
    );
  await refuseShadows(on, row.schemas);
  return row.usage < MUCH ? [] : [full(row.usage)];
}

/** A schema that the search path names ahead of `pg_catalog` may have another `now()`, or another `=`. */
async function refuseShadows(on: PostgresTransaction, schemas: readonly string[]): Promise<void> {
  const ahead = schemas
    .slice(0, schemas.indexOf('pg_catalog'))
    .filter((schema) => !schema.startsWith('pg_temp_'));
  if (ahead.length === 0) return;
  const [shadow] = await query<{ name: string }>(on, SHADOWS, [ahead]);
  if (shadow !== undefined)
    throw new DriverError(
      'EngineUnsuitable',
      `search_path puts '${shadow.name}' in the place of the server's own: name pg_catalog first, or not at all.`,
    );
}

/** From this part of the queue of notifications on there is a warning. */
const MUCH = 0.25;

function full(usage: number): string {
  return (
    `The server's queue of notifications is ${Math.round(100 * usage)} % full: a session that has run LISTEN stays in its transaction. ` +
    'From 90 % on workers get no wake-ups, and poll. When the queue is full, each commit with a NOTIFY fails. Look for the session in pg_stat_activity.'
  );
}
