import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { Moves } from './moves.js';
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
  readonly condition: string | null;
  /** How many it passes to the function. */
  readonly arguments: number;
  readonly create: string;
}

/** The bits of a trigger's type in the catalog. */
const BITS = { ROW: 1, BEFORE: 2, INSERT: 4, DELETE: 8, UPDATE: 16, TRUNCATE: 32 } as const;

/** The statement that a trigger fires for. */
const EVENTS = {
  insert: 'INSERT',
  update: 'UPDATE',
  delete: 'DELETE',
  truncate: 'TRUNCATE',
  move: 'UPDATE',
  moved_from: 'DELETE',
  moved_to: 'INSERT',
} as const satisfies Readonly<Record<Operation, keyof typeof BITS>>;

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
    triggers: operationsOf(plan, table).map((operation) => wantedTrigger(operation, plan, context, table)),
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
  const event = EVENTS[operation];
  const seesRows = !isRow && operation !== 'truncate';
  const newTable = seesRows && operation !== 'delete' ? 'new_rows' : null;
  const oldTable = seesRows && operation !== 'insert' ? 'old_rows' : null;
  const condition =
    table.movesRows && operation !== 'truncate' ? new Moves(schema, plan).condition(operation) : null;
  const isMoved = operation === 'moved_from' || operation === 'moved_to';
  const time = operation === 'move' ? 'BEFORE' : 'AFTER';
  const clauses = [
    ...(newTable === null && oldTable === null ? [] : ['REFERENCING']),
    ...(newTable === null ? [] : [`NEW TABLE AS ${newTable}`]),
    ...(oldTable === null ? [] : [`OLD TABLE AS ${oldTable}`]),
    `FOR EACH ${isRow ? 'ROW' : 'STATEMENT'}`,
    ...(condition === null ? [] : [`WHEN (${condition})`]),
    `EXECUTE FUNCTION ${quotedFunction(schema, plan.name)}(${isMoved ? "'moved'" : ''})`,
  ];
  return {
    name,
    type: (isRow ? BITS.ROW : 0) + (time === 'BEFORE' ? BITS.BEFORE : 0) + BITS[event],
    newTable,
    oldTable,
    condition,
    arguments: isMoved ? 1 : 0,
    create: `CREATE OR REPLACE TRIGGER ${identifier(name)} ${time} ${event} ON ${table.name}\n  ${clauses.join(' ')}`,
  };
}

function operationsOf(
  { insert, update, delete: deletes }: CapturePlan,
  { movesRows }: CapturedTable,
): readonly Operation[] {
  return [
    ...(insert ? (['insert'] as const) : []),
    ...(update === false ? [] : (['update'] as const)),
    ...(deletes ? (['delete', 'truncate'] as const) : []),
    ...(movesRows ? (['move', 'moved_from', 'moved_to'] as const) : []),
  ];
}

/** A quote that the text does not contain. */
function dollarQuote(text: string): string {
  for (let n = 0; ; n++) {
    const quote = `$capture${n === 0 ? '' : n}$`;
    if (!text.includes(quote)) return quote;
  }
}
