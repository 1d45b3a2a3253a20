import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Operation, triggerName, triggerPrefix } from './names.js';
import type { CapturedTable } from './table.js';
import { TriggerBody } from './trigger-body.js';

/** What a capture needs in the database. */
export interface Wanted {
  readonly table: CapturedTable;
  readonly triggers: readonly WantedTrigger[];
}

export interface WantedTrigger {
  readonly name: string;
  readonly operation: Operation;
  readonly body: string;
  readonly create: string;
}

export function wantedFor(plan: CapturePlan, context: Context, table: CapturedTable): Wanted {
  const prefix = triggerPrefix(context.schema, plan.name);
  const triggers = operationsOf(plan).map((operation): WantedTrigger => {
    const body = new TriggerBody(plan, context, table, operation).text;
    const name = triggerName(prefix, operation, `${table.name} ${body}`);
    const create = `CREATE TRIGGER ${identifier(table.schema)}.${identifier(name)} AFTER ${operation.toUpperCase()} ON ${table.name} FOR EACH ROW ${body}`;
    return { name, operation, body, create };
  });
  return { table, triggers };
}

function operationsOf({ insert, update, delete: deletes }: CapturePlan): readonly Operation[] {
  return [
    ...(insert ? (['insert'] as const) : []),
    ...(update === false ? [] : (['update'] as const)),
    ...(deletes ? (['delete'] as const) : []),
  ];
}
