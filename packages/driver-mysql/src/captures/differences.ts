import { DriverError, isDriverError } from '@rowlock/core';
import type { CaptureProblem } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import { type MysqlTransaction, query } from '../query.js';
import { type Operation, operationIn, triggerPrefix } from './names.js';
import type { Wanted, WantedTrigger } from './triggers.js';

/** A trigger of a capture, as the catalog has it. */
export interface FoundTrigger {
  readonly name: string;
  readonly operation: Operation;
  readonly schema: string;
  readonly table: string;
  readonly event: string;
  readonly timing: string;
  /** With whose rights it works. */
  readonly account: string;
  /** Whether that is this account. */
  readonly isOwn: boolean;
  /** Whether there is no such account any more, as far as this one may see. */
  readonly isOrphan: boolean;
  /** The whole statement, with its body at the end. */
  readonly statement: string;
}

type TriggerRow = Pick<FoundTrigger, 'name' | 'schema' | 'table' | 'event' | 'timing' | 'account'> & {
  is_own: number | string;
};

/** The triggers of a capture, on any table. */
export async function findCapture(
  on: MysqlTransaction,
  { sql, schema }: Context,
  capture: string,
): Promise<readonly FoundTrigger[]> {
  const prefix = triggerPrefix(schema, capture);
  const rows = await query<TriggerRow>(on, sql.captures.findCapture, [prefix, prefix]);
  const others = new Set(rows.flatMap(({ account, is_own }) => (Number(is_own) === 1 ? [] : [account])));
  const orphans: string[] = [];
  for (const account of others) if (await isGone(on, sql, account)) orphans.push(account);
  const found: FoundTrigger[] = [];
  for (const { is_own, ...row } of rows) {
    const operation = operationIn(prefix, row.name);
    if (operation === undefined) continue;
    const statement = await statementOf(on, row);
    const isOrphan = orphans.includes(row.account);
    found.push({ ...row, operation, isOwn: Number(is_own) === 1, isOrphan, statement });
  }
  return found;
}

/** Only some accounts may read which others there are. */
async function isGone(on: MysqlTransaction, sql: Context['sql'], account: string): Promise<boolean> {
  const [row] = await query<{ found: number | string }>(on, sql.captures.captureAccount, [
    account,
    account,
  ]).catch((error: unknown) => {
    if (!isDriverError(error, 'PermissionDenied')) throw error;
    return [];
  });
  return row !== undefined && Number(row.found) === 0;
}

/**
 * An account that may not see a trigger would find it missing.
 *
 * @throws DriverError `PermissionDenied`
 */
export async function refuseHidden(
  on: MysqlTransaction,
  { table: { schema, table }, triggers }: Wanted,
  found: readonly FoundTrigger[],
): Promise<void> {
  for (const { name } of triggers)
    if (!found.some((each) => each.name === name)) await statementOf(on, { schema, table, name });
}

/**
 * The statement that made a trigger. The catalog's table has another one, in which literals are converted. Empty without
 * the trigger.
 */
async function statementOf(
  on: MysqlTransaction,
  { schema, table, name }: Pick<FoundTrigger, 'schema' | 'table' | 'name'>,
): Promise<string> {
  try {
    const [[row]] = await on.query(`SHOW CREATE TRIGGER ${identifier(schema)}.${identifier(name)}`);
    return String(Object(row)['SQL Original Statement']);
  } catch (error) {
    const cause = toDriverError(error);
    // Dropped just now, or never made.
    if (Object(cause.cause).errno === NO_TRIGGER) return '';
    if (cause.code !== 'PermissionDenied') throw cause;
    const of = `${identifier(schema)}.${identifier(table)}`;
    const message = `This account may not see the triggers of ${of}: GRANT TRIGGER ON ${of} TO …, or look with another account.`;
    throw new DriverError('PermissionDenied', message, { cause });
  }
}

const NO_TRIGGER = 1360;

/** A problem, and the statements that end it. */
export interface Difference extends CaptureProblem {
  readonly mend: readonly string[];
}

/** How what is there differs from what the capture needs. A new trigger is made before the old one is dropped. */
export function differences(wanted: Wanted, found: readonly FoundTrigger[]): readonly Difference[] {
  const { table, triggers } = wanted;
  const here = found.filter((each) => each.schema === table.schema && each.table === table.table);
  const known = triggers.map(({ name }) => name);
  const away = namesakes(wanted, found);
  const stale = found.filter(
    (each) => !away.includes(each) && !(here.includes(each) && known.includes(each.name)),
  );
  const replaced = triggers.map(({ operation }) => operation);
  return [
    ...triggers.flatMap((trigger) => differencesOf(wanted, trigger, here, away)),
    ...stale.map((each): Difference => {
      const isReplaced = here.includes(each) && replaced.includes(each.operation);
      const message = `The trigger ${each.name} of ${each.schema}.${each.table} is of no use any more.`;
      return { code: isReplaced ? 'changed' : 'unwelcome', message, mend: [dropTrigger(each)] };
    }),
  ];
}

/** The triggers with the names that are wanted, of other tables. The one that was the table goes on with them under another name. */
export function namesakes(
  { table, triggers }: Wanted,
  found: readonly FoundTrigger[],
): readonly FoundTrigger[] {
  return found.filter(
    (each) =>
      each.schema === table.schema &&
      each.table !== table.table &&
      triggers.some(({ name }) => name === each.name),
  );
}

export function dropTrigger({ schema, name }: Pick<FoundTrigger, 'schema' | 'name'>): string {
  return `DROP TRIGGER IF EXISTS ${identifier(schema)}.${identifier(name)}`;
}

function differencesOf(
  { table }: Wanted,
  { name, operation, body, create }: WantedTrigger,
  here: readonly FoundTrigger[],
  away: readonly FoundTrigger[],
): readonly Difference[] {
  const found = here.find((each) => each.name === name);
  if (found === undefined) {
    const isOther = here.some((each) => each.operation === operation);
    if (isOther)
      return [{ code: 'changed', message: `The trigger ${name} is not there yet.`, mend: [create] }];
    const other = away.find((each) => each.name === name);
    const where = other === undefined ? '' : ` It is one of ${other.schema}.${other.table}.`;
    const message = `There is no trigger ${name} of ${table.name}.${where}`;
    return [
      { code: 'missing', message, mend: [...(other === undefined ? [] : [dropTrigger(other)]), create] },
    ];
  }
  if (found.isOrphan) {
    const message = `The trigger ${name} of ${table.name} has the rights of ${found.account}, and there is no such account any more, so that each write fails.`;
    return [{ code: 'changed', message, mend: [dropTrigger(found), create] }];
  }
  const isAsWanted =
    found.statement.endsWith(` FOR EACH ROW ${body}`) &&
    found.timing === 'AFTER' &&
    found.event === operation.toUpperCase();
  if (isAsWanted) return [];
  const message = `The trigger ${name} of ${table.name} is another one.`;
  return [{ code: 'changed', message, mend: [dropTrigger(found), create] }];
}
