import { readFile } from 'node:fs/promises';
import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** The columns, constraints, indexes and functions of a schema, without the schema's name: it can be chosen. */
const OBJECTS = `
  SELECT 'column ' || relname || '.' || attname AS name,
         replace(format_type(atttypid, atttypmod), quote_ident($1) || '.', '') || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS definition
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT 'constraint ' || coalesce(relname, typname) || '.' || conname, replace(pg_get_constraintdef(con.oid), quote_ident($1) || '.', '')
  FROM pg_constraint AS con LEFT JOIN pg_class ON pg_class.oid = conrelid LEFT JOIN pg_type ON pg_type.oid = contypid
  WHERE connamespace = to_regnamespace(quote_ident($1)) AND contype IN ('c', 'p', 'u')
  UNION ALL
  SELECT 'index ' || indexed.relname,
         regexp_replace(replace(pg_get_indexdef(indexrelid), quote_ident($1) || '.', ''), '^.* USING ', '')
           || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END
  FROM pg_index JOIN pg_class AS indexed ON indexed.oid = indexrelid
  WHERE relnamespace = to_regnamespace(quote_ident($1))
  UNION ALL
  SELECT 'function ' || proname, md5(coalesce(prosrc, ''))
  FROM pg_proc WHERE pronamespace = to_regnamespace(quote_ident($1))`;

/** Each object by its kind and name, with its definition. */
export async function objectsOf(
  on: PostgresTransaction,
  schema: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ name: string; definition: string }>(on, OBJECTS, [schema]);
  return new Map(rows.map(({ name, definition }) => [name, definition.replaceAll(/\s+/g, ' ')]));
}

/** What the migrations make, as `objectsOf` finds it. A test writes the file. */
async function expectedObjects(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../../migrations/objects.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
}

/** Compares the schema with what the migrations make. What else is in the schema does not count. */
export async function drift(on: PostgresTransaction, schema: string): Promise<readonly Fault[]> {
  const [expected, found] = await Promise.all([expectedObjects(), objectsOf(on, schema)]);
  return [...expected].flatMap(([name, definition]) => {
    const now = found.get(name);
    if (now === definition) return [];
    const what =
      now === undefined
        ? `The ${name} of the schema ${schema} is missing.`
        : `The ${name} of the schema ${schema} is not as the migrations make it: it is ${now}, and should be ${definition}.`;
    return [{ severity: now === undefined ? 'broken' : 'warning', what, ...ABOUT }];
  });
}

const ABOUT = {
  why: 'Statements fail, read whole tables, or do not find what they need.',
  remedy: 'Make it again as `rowlock sql postgres` prints it.',
} as const;
