import { DriverError } from '@rowlock/core';
import {
  type BackfillOptions,
  type BackfillStep,
  type CapturePlan,
  refusedTable,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Queryable, query } from '../query.js';
import { texts } from '../workers/texts.js';
import { backfillStatement } from './backfill-statement.js';
import type { Column } from './column.js';
import { columnOf, readTable } from './table.js';
import { SET_TEXTS } from './text-settings.js';

interface Progress {
  last: Readonly<Record<string, string>> | null;
  rows: bigint;
  done: boolean;
}

/** One step, in the transaction of the caller. */
export async function backfill(
  on: Queryable,
  context: Context,
  plan: CapturePlan,
  { batch, priority, first }: BackfillOptions,
): Promise<BackfillStep> {
  const { sql, channel } = context;
  if (first) {
    await query(on, sql.captures.beginBackfill, [plan.name]);
    // The changes that were lost so far are committed, so the backfill reads them.
    if (plan.onError === 'note') await query(on, sql.captures.forgetLosses, [plan.name]);
  }
  const [progress] = await query<Progress>(on, sql.captures.lockBackfill, [plan.name]);
  if (progress === undefined || progress.done) return { rows: Number(progress?.rows ?? 0), done: true };
  // Its columns and policies stay as they are read.
  await query(on, `LOCK TABLE ${plan.table.map(identifier).join('.')} IN ACCESS SHARE MODE`);
  const table = await readTable(on, context, plan);
  if (table.hidesRows) throw hidden(plan);
  const made = plan.id.find((name) => isMade(columnOf(table, name)));
  if (made !== undefined)
    throw refusedTable(plan, `cannot be filled by ${made}, whose type is made of others`);
  const { last } = progress;
  await query(on, SET_TEXTS);
  const statement = backfillStatement(plan, context, table, last === null);
  const after = last === null ? [] : plan.id.map((name) => last[name]);
  const [step] = await query<{ rows: number; last: Progress['last'] }>(on, statement, [
    batch,
    priority,
    ...after,
  ]);
  const newest = step?.last ?? null;
  // The row of the last place is behind it again: the backfill would not end.
  if (last !== null && plan.id.every((name) => newest?.[name] === last[name]))
    throw refusedTable(
      plan,
      `has ids which the server reads back as others, so that the backfill does not get beyond ${JSON.stringify(last)}. Name another unique key as id`,
    );
  const read = step?.rows ?? 0;
  const done = read < batch;
  await query(on, sql.captures.moveBackfill, [plan.name, JSON.stringify(newest), read, done]);
  await query(on, sql.bell.notify, [channel, texts([{ queue: plan.job.queue }])]);
  return { rows: Number(progress.rows) + read, done };
}

/** To read such a value may call checks of whoever owns a domain in it. */
function isMade({ isBuiltIn, kind }: Column): boolean {
  return !isBuiltIn && kind !== 'b' && kind !== 'e';
}

function hidden({ table }: CapturePlan): DriverError {
  return new DriverError(
    'PermissionDenied',
    `Row level security hides rows of ${table.join('.')} from this database user, so that a backfill would leave them out. ` +
      'Give the user BYPASSRLS, or a policy for it: CREATE POLICY … FOR SELECT TO … USING (true).',
  );
}
