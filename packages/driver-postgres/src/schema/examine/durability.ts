import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

/** Tables that a crash empties. $1 has the names of all. */
const UNLOGGED = `
  SELECT relname AS name FROM pg_class
  WHERE oid = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)) AND relpersistence = 'u' ORDER BY relname`;

/** Of sessions of this user in this database. */
const COMMIT =
  "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off'";

/** Of the server, and what a crash of its machine does to it then. */
const SERVER: Readonly<Record<string, string>> = {
  fsync: 'A power cut loses what was committed, or leaves files that cannot be read.',
  full_page_writes: 'A power cut in the middle of a write may leave a page that cannot be read.',
};

/** $1: names. */
const OFF = "SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name";

/** Looks for what gives up that a committed job is kept. */
export async function durability(on: PostgresTransaction, tables: Tables): Promise<readonly Fault[]> {
  const unlogged = await query<{ name: string }>(on, UNLOGGED, [Object.values(tables)]);
  const off = await query<{ name: string }>(on, OFF, [Object.keys(SERVER)]);
  const [commit] = await query<{ source: string }>(on, COMMIT);
  return [
    ...unlogged.map(
      ({ name }): Fault => ({
        severity: 'broken',
        what: `The table ${name} is UNLOGGED.`,
        why: 'A crash of the server empties it, and a standby has none of it.',
        remedy: `ALTER TABLE … SET LOGGED, while no worker runs.`,
      }),
    ),
    ...off.map(
      ({ name }): Fault => ({
        severity: 'warning',
        what: `The server has ${name} = off.`,
        why: SERVER[name] ?? '',
        remedy: `ALTER SYSTEM SET ${name} = on, and reload, unless the storage itself keeps what is written, as that of some clouds does.`,
      }),
    ),
    ...(commit === undefined
      ? []
      : [
          {
            severity: 'warning' as const,
            what: `Sessions of this user have synchronous_commit = off (${commit.source}).`,
            why: 'A crash of the server loses what was committed last: jobs, and that jobs have run.',
            remedy: 'ALTER ROLE … IN DATABASE … SET synchronous_commit = on, or RESET it where it was set.',
          },
        ]),
  ];
}
