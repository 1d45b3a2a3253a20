import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

/** Published tables whose rows a subscriber could not find. $1 has the names of all. */
const WITHOUT = `
  SELECT relname AS name, string_agg(DISTINCT pubname, ', ') AS publications
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  JOIN pg_publication_tables ON schemaname = nspname AND tablename = relname JOIN pg_publication USING (pubname)
  WHERE pg_class.oid = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)) AND relreplident = 'n' AND (pubupdate OR pubdelete)
  GROUP BY relname ORDER BY relname`;

/** Looks for tables whose rows cannot change, because a publication needs an identity that they do not have. */
export async function replicaIdentity(on: PostgresTransaction, tables: Tables): Promise<readonly Fault[]> {
  const rows = await query<{ name: string; publications: string }>(on, WITHOUT, [Object.values(tables)]);
  return rows.map(({ name, publications }) => ({
    severity: 'broken',
    what: `The table ${name} has REPLICA IDENTITY NOTHING, and is in a publication: ${publications}.`,
    why: 'The server refuses each UPDATE and DELETE of it.',
    remedy: `ALTER TABLE ${name} REPLICA IDENTITY DEFAULT, or take it out of the publication.`,
  }));
}
