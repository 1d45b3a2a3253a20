import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';
import { expectedObjects, isOfJson } from './drift.js';

/** What may be on the tables beside what the migrations make. An account sees the triggers of tables on which it has TRIGGER. */
const ADDED = `
  SELECT 'column' AS kind, COLUMN_NAME AS name, TABLE_NAME AS place FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND IS_NULLABLE = 'NO' AND COLUMN_DEFAULT IS NULL
    AND EXTRA NOT LIKE '%auto_increment%' AND COALESCE(GENERATION_EXPRESSION, '') = ''
  UNION ALL
  SELECT DISTINCT 'unique index', INDEX_NAME, TABLE_NAME FROM information_schema.STATISTICS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND NON_UNIQUE = 0
  UNION ALL
  SELECT 'constraint', CONSTRAINT_NAME, TABLE_NAME FROM information_schema.TABLE_CONSTRAINTS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND CONSTRAINT_TYPE = 'CHECK'
  UNION ALL
  SELECT 'reference', CONSTRAINT_NAME, REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS
  WHERE UNIQUE_CONSTRAINT_SCHEMA = ? AND REFERENCED_TABLE_NAME LIKE 'rowlock\\_%'
  UNION ALL
  SELECT 'trigger', TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS
  WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE LIKE 'rowlock\\_%'`;

interface Added {
  readonly kind: 'column' | 'unique index' | 'constraint' | 'reference' | 'trigger';
  readonly name: string;
  readonly place: string;
}

/** Looks for what others have added to Rowlock's tables, and what may make statements fail. */
export async function additions(on: MysqlTransaction, schema: string): Promise<readonly Fault[]> {
  const expected = await expectedObjects();
  const rows = await query<Added>(on, ADDED, [schema, schema, schema, schema, schema]);
  return rows
    .filter(({ kind, name, place }) => !isOwn(expected, kind, `${place}.${name}`))
    .map(({ kind, name, place }) => ({
      what: `The ${kind} ${name} of the table ${place} is not Rowlock's.`,
      ...ABOUT[kind],
    }));
}

/** The name of an index has its columns behind it. */
function isOwn(expected: ReadonlyMap<string, string>, kind: Added['kind'], name: string): boolean {
  if (kind === 'unique index') return [...expected.keys()].some((own) => own.startsWith(`index ${name}(`));
  return expected.has(`${kind} ${name}`) || isOfJson(expected, `${kind} ${name}`);
}

const REFUSES = {
  severity: 'warning',
  why: 'What it refuses, Rowlock cannot write.',
  remedy: 'Drop it, unless all that Rowlock writes meets it.',
} as const;

const ABOUT: Readonly<Record<Added['kind'], Omit<Fault, 'what'>>> = {
  column: {
    severity: 'broken',
    why: 'It is NOT NULL and has no default, so each INSERT of Rowlock fails.',
    remedy: 'Give it a default, or let it be null.',
  },
  'unique index': REFUSES,
  constraint: REFUSES,
  reference: {
    severity: 'warning',
    why: 'A row that refers to a job waits for its run, and keeps it from being pruned.',
    remedy: 'Drop the foreign key.',
  },
  trigger: {
    severity: 'warning',
    why: 'What it does happens at each statement of Rowlock. Where it fails, the statement does.',
    remedy: 'Make sure that it never fails and is quick, or drop it.',
  },
};
