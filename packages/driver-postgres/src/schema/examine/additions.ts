import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';
import { expectedObjects } from './drift.js';

/** What may be on the tables beside what the migrations make. $1 has the names of the tables. */
const ADDED = `
  WITH own AS (SELECT oid, relname FROM pg_class WHERE oid = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)))
  SELECT 'column' AS kind, attname AS name, relname AS "table"
  FROM pg_attribute JOIN own ON own.oid = attrelid
  WHERE attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef AND attidentity = ''
  UNION ALL
  SELECT 'constraint', conname, relname FROM pg_constraint JOIN own ON own.oid = conrelid
  WHERE contype IN ('c', 'u', 'x', 'f') AND conparentid = 0
  UNION ALL
  SELECT 'domain constraint', conname, typname FROM pg_constraint JOIN pg_type ON pg_type.oid = contypid
  WHERE typnamespace IN (SELECT relnamespace FROM pg_class JOIN own USING (oid)) AND contype = 'c'
  UNION ALL
  SELECT 'unique index', indexed.relname, own.relname
  FROM pg_index JOIN own ON own.oid = indrelid JOIN pg_class AS indexed ON indexed.oid = indexrelid
  WHERE indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
  UNION ALL
  SELECT 'reference', conname, relname FROM pg_constraint JOIN own ON own.oid = confrelid WHERE contype = 'f'
  UNION ALL
  SELECT 'child table', inhrelid::regclass::text, relname FROM pg_inherits JOIN own ON own.oid = inhparent
  UNION ALL
  SELECT 'parent table', inhparent::regclass::text, relname FROM pg_inherits JOIN own ON own.oid = inhrelid
  UNION ALL
  SELECT 'trigger', tgname, relname FROM pg_trigger JOIN own ON own.oid = tgrelid WHERE NOT tgisinternal AND tgenabled <> 'D'
  UNION ALL
  SELECT CASE WHEN is_instead THEN 'instead rule' ELSE 'rule' END, rulename, relname
  FROM pg_rewrite JOIN own ON own.oid = ev_class WHERE ev_enabled <> 'D'`;

/** Looks for what others have added to Rowlock's tables, and what may make statements fail. */
export async function additions(on: PostgresTransaction, tables: Tables): Promise<readonly Fault[]> {
  const expected = await expectedObjects();
  const rows = await query<Added>(on, ADDED, [Object.values(tables)]);
  return rows.filter((added) => !isOwn(added, expected)).map(faultOf);
}

interface Added {
  readonly kind: string;
  readonly name: string;
  readonly table: string;
  readonly [column: string]: unknown;
}

function isOwn({ kind, name, table }: Added, expected: ReadonlyMap<string, string>): boolean {
  if (kind === 'unique index') return expected.has(`index ${name}`);
  return expected.has(`${kind.replace('domain ', '')} ${table}.${name}`);
}

function faultOf({ kind, name, table }: Added): Fault {
  const on = kind === 'domain constraint' ? 'domain' : 'table';
  const what = `The ${kind.replace(/^(instead|domain) /, '')} ${name} of the ${on} ${table} is not Rowlock's.`;
  const { severity = 'warning', why, remedy } = ABOUT[kind] ?? ABOUT.constraint;
  return { severity, what, why, remedy };
}

const ABOUT: Readonly<Record<string, Partial<Fault> & Pick<Fault, 'why' | 'remedy'>>> & {
  readonly constraint: Partial<Fault> & Pick<Fault, 'why' | 'remedy'>;
} = {
  column: {
    severity: 'broken',
    why: 'It is NOT NULL and has no default, so each INSERT of Rowlock fails.',
    remedy: 'Give it a default, or let it be null.',
  },
  'instead rule': {
    severity: 'broken',
    why: 'The server does something else than what Rowlock asks for.',
    remedy: 'DROP RULE.',
  },
  rule: { why: 'What it does happens at each statement of Rowlock, and may fail.', remedy: 'DROP RULE.' },
  reference: {
    why: 'A row that refers to a job may wait for its run, and keeps it from being pruned.',
    remedy: 'Drop the foreign key.',
  },
  'child table': {
    why: "Rowlock's statements read and change its rows too, which share no index and no unique key with the table.",
    remedy:
      'ALTER TABLE … NO INHERIT. A table that is partitioned is made again as `rowlock sql postgres` prints it.',
  },
  'parent table': {
    why: 'Statements on the parent table lock, change and delete the rows of Rowlock.',
    remedy: 'ALTER TABLE … NO INHERIT.',
  },
  trigger: {
    why: 'What it does happens at each statement of Rowlock. Where it fails, the statement does.',
    remedy: 'Make sure that it never fails and is quick, or drop it.',
  },
  constraint: {
    why: 'What it refuses, Rowlock cannot write.',
    remedy: 'Drop it, unless all that Rowlock writes meets it.',
  },
};
