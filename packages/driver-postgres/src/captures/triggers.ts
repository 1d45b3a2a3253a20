import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Operation, quotedFunction, triggerName } from './names.js';
import type { CapturedTable } from './table.js';
import { TriggerFunction } from './trigger-function.js';

/** What a capture needs in the database. */
export interface Wanted {
  readonly table: CapturedTable;
  /** The function, quoted. */
  readonly function: string;
  readonly body: string;
  /** The function's settings, as the catalog has them. */
  readonly settings: readonly string[];
  readonly createFunction: readonly string[];
  readonly triggers: readonly WantedTrigger[];
}

export interface WantedTrigger {
  readonly name: string;
  /** As the catalog has it. https://www.postgresql.org/docs/current/catalog-pg-trigger.html */
  readonly type: number;
  readonly newTable: string | null;
  readonly oldTable: string | null;
  readonly create: string;
}

/** The bits of a trigger's type in the catalog. */
const BITS = { row: 1, insert: 4, delete: 8, update: 16, truncate: 32 } as const;

export function wantedFor(plan: CapturePlan, context: Context, table: CapturedTable): Wanted {
  const made = new TriggerFunction(plan, context, table);
  const name = quotedFunction(context.schema, plan.name);
  const { body, settings, settingsText } = made;
  const quote = dollarQuote(body);
  return {
    table,
    function: name,
    body,
    settings,
    createFunction: [
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger\n  LANGUAGE plpgsql SECURITY DEFINER\n  ${settingsText}\nAS ${quote}${body}${quote}`,
      `REVOKE ALL ON FUNCTION ${name}() FROM PUBLIC`,
    ],
    triggers: operationsOf(plan).map((operation) => wantedTrigger(operation, plan, context, table)),
  };
}

function wantedTrigger(
  operation: Operation,
  plan: CapturePlan,
  { schema }: Context,
  table: CapturedTable,
): WantedTrigger {
  const isRow = table.level === 'row' && operation !== 'truncate';
  const name = triggerName(schema, plan.name, operation);
  const seesRows = !isRow && operation !== 'truncate';
  const newTable = seesRows && operation !== 'delete' ? 'new_rows' : null;
  const oldTable = seesRows && operation !== 'insert' ? 'old_rows' : null;
  const referencing = [
    ...(newTable === null ? [] : [`NEW TABLE AS ${newTable}`]),
    ...(oldTable === null ? [] : [`OLD TABLE AS ${oldTable}`]),
  ].join(' ');
  return {
    name,
    type: (isRow ? BITS.row : 0) + BITS[operation],
    newTable,
    oldTable,
    create: `CREATE OR REPLACE TRIGGER ${identifier(name)} AFTER ${operation.toUpperCase()} ON ${table.name}
  ${referencing === '' ? '' : `REFERENCING ${referencing} `}FOR EACH ${isRow ? 'ROW' : 'STATEMENT'} EXECUTE FUNCTION ${quotedFunction(schema, plan.name)}()`,
  };
}

function operationsOf({ insert, update, delete: deletes }: CapturePlan): readonly Operation[] {
  return [
    ...(insert ? (['insert'] as const) : []),
    ...(update === false ? [] : (['update'] as const)),
    ...(deletes ? (['delete', 'truncate'] as const) : []),
  ];
}

/** A quote that the text does not contain. */
function dollarQuote(text: string): string {
  for (let n = 0; ; n++) {
    const quote = `$capture${n === 0 ? '' : n}$`;
    if (!text.includes(quote)) return quote;
  }
}
