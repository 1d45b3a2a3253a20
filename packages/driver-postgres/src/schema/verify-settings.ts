import { DriverError } from '@rowlock/core';
import { type PostgresTransaction, query } from '../query.js';

const SETTINGS = `
  SELECT current_setting('default_transaction_isolation') AS isolation,
         current_setting('default_transaction_read_only') AS "readOnly",
         current_setting('array_nulls') AS "arrayNulls",
         pg_notification_queue_usage() AS usage`;

interface Found {
  readonly isolation: string;
  readonly readOnly: string;
  readonly arrayNulls: string;
  readonly usage: number;
}

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
  if (row.readOnly !== 'off')
    throw new DriverError(
      'EngineUnsuitable',
      `default_transaction_read_only must be off, and is ${row.readOnly}. ` +
        `${REMEDY} (options: '-c default_transaction_read_only=off').`,
    );
  if (row.arrayNulls !== 'on')
    throw new DriverError(
      'EngineUnsuitable',
      `array_nulls must be on, its default, and is ${row.arrayNulls}. ${REMEDY} (options: '-c array_nulls=on').`,
    );
  return row.usage < MUCH ? [] : [full(row.usage)];
}

/** From this part of the queue of notifications on there is a warning. */
const MUCH = 0.25;

function full(usage: number): string {
  return (
    `The server's queue of notifications is ${Math.round(100 * usage)} % full: a session that has run LISTEN stays in its transaction. ` +
    'From 90 % on workers get no wake-ups, and poll. When the queue is full, each commit with a NOTIFY fails. Look for the session in pg_stat_activity.'
  );
}
