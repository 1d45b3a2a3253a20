import type { CaptureProblem } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Queryable, query } from '../query.js';
import { isSameCondition } from './moves.js';
import { functionName } from './names.js';
import type { Wanted, WantedTrigger } from './triggers.js';

/** A trigger as the catalog has it. */
interface FoundTrigger {
  readonly name: string;
  /** The table, quoted, with its schema. */
  readonly table: string;
  readonly enabled: string;
  readonly type: number;
  readonly newTable: string | null;
  readonly oldTable: string | null;
  /** Whether it fires for certain columns. */
  readonly isOfColumns: boolean;
  readonly arguments: number;
  readonly condition: string | null;
}

/** A capture's function and triggers, as the catalog has them. */
export interface Found {
  readonly body: string;
  readonly definer: boolean;
  /** The account with whose rights it works. */
  readonly owner: string;
  readonly settings: readonly string[];
  readonly triggers: readonly FoundTrigger[];
  /** The triggers of partitions, which are clones of these, that do not fire. */
  readonly disabledClones: readonly Pick<FoundTrigger, 'name' | 'table'>[];
}

/** Null if there is no function, and so no trigger. */
export async function findCapture(
  on: Queryable,
  { sql, schema }: Context,
  capture: string,
): Promise<Found | null> {
  const [row] = await query<{
    body: string;
    definer: boolean;
    owner: string;
    settings: readonly string[] | null;
    triggers: readonly (Omit<FoundTrigger, 'table'> & { readonly table: readonly string[] })[] | null;
    disabled_clones: readonly { readonly name: string; readonly table: readonly string[] }[] | null;
  }>(on, sql.captures.findCapture, [schema, functionName(capture)]);
  if (row === undefined) return null;
  const { body, definer, owner } = row;
  const quoted = <Each extends { readonly table: readonly string[] }>(found: readonly Each[] | null) =>
    (found ?? []).map((each) => ({ ...each, table: each.table.map(identifier).join('.') }));
  return {
    body,
    definer,
    owner,
    settings: row.settings ?? [],
    triggers: quoted(row.triggers),
    disabledClones: quoted(row.disabled_clones),
  };
}

/** A problem, and the statements that end it. */
export interface Difference extends CaptureProblem {
  readonly mend: readonly string[];
}

/** How what is there differs from what the capture needs. */
export function differences(wanted: Wanted, found: Found | null): readonly Difference[] {
  const { createFunction, triggers } = wanted;
  if (found === null) {
    const mend = [...createFunction, ...triggers.map(({ create }) => create)];
    return [{ code: 'missing', message: `There is no function ${wanted.function}.`, mend }];
  }
  const changed: Difference = {
    code: 'changed',
    message: `The function ${wanted.function} is another one.`,
    mend: createFunction,
  };
  return [
    ...(isFunction(wanted, found) ? [] : [changed]),
    ...unwelcome(wanted, found),
    ...triggers.flatMap((trigger) => differencesOf(wanted, trigger, found)),
    ...found.disabledClones.map(disabled),
  ];
}

/** Whose changes the triggers miss: those of replicas, unless all fire ALWAYS, which one that is made or enabled anew does not. */
export function missedReplicas({ table, triggers }: Wanted, found: Found | null): readonly string[] {
  const always = found?.triggers.filter((each) => each.table === table.name && each.enabled === 'A') ?? [];
  const others = triggers.filter(({ name }) => !always.some((each) => each.name === name));
  if (others.length === 0) return [];
  const names = others.map(({ name }) => JSON.stringify(name)).join(', ');
  return table.replicas.map(
    (who) =>
      `${who} Such changes are captured only by triggers that are enabled ALWAYS. These are not: ${names}.`,
  );
}

export function dropTrigger({ name, table }: Pick<FoundTrigger, 'name' | 'table'>): string {
  return `DROP TRIGGER ${identifier(name)} ON ${table}`;
}

function isFunction({ body, settings }: Wanted, found: Found): boolean {
  const same =
    found.settings.length === settings.length && found.settings.every((each) => settings.includes(each));
  return found.body === body && found.definer && same;
}

/** The triggers of the function that the capture does not need. */
function unwelcome({ table, triggers }: Wanted, found: Found): readonly Difference[] {
  const names = triggers.map(({ name }) => name);
  return found.triggers
    .filter((each) => each.table !== table.name || !names.includes(each.name))
    .map((each) => ({
      code: 'unwelcome',
      message: `The trigger ${JSON.stringify(each.name)} of ${each.table} is of no use any more.`,
      mend: [dropTrigger(each)],
    }));
}

function differencesOf(
  { table }: Wanted,
  trigger: WantedTrigger,
  { triggers }: Found,
): readonly Difference[] {
  const { name, create } = trigger;
  const found = triggers.find((each) => each.name === name && each.table === table.name);
  const named = `trigger ${JSON.stringify(name)} of ${table.name}`;
  if (found === undefined) return [{ code: 'missing', message: `There is no ${named}.`, mend: [create] }];
  const changed: Difference = { code: 'changed', message: `The ${named} is another one.`, mend: [create] };
  const fires = found.enabled === 'O' || found.enabled === 'A';
  return [...(isTrigger(trigger, found) ? [] : [changed]), ...(fires ? [] : [disabled(found)])];
}

function disabled({ name, table }: Pick<FoundTrigger, 'name' | 'table'>): Difference {
  return {
    code: 'disabled',
    message: `The trigger ${JSON.stringify(name)} of ${table} is disabled.`,
    mend: [`ALTER TABLE ${table} ENABLE TRIGGER ${identifier(name)}`],
  };
}

function isTrigger(wanted: WantedTrigger, found: FoundTrigger): boolean {
  const isSame = (['type', 'newTable', 'oldTable', 'arguments'] as const).every(
    (member) => found[member] === wanted[member],
  );
  return isSame && !found.isOfColumns && isSameCondition(found.condition, wanted.condition);
}
