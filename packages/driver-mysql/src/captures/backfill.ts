import {
  type BackfillOptions,
  type BackfillStep,
  type CapturePlan,
  refusedTable,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { literal } from '../literal.js';
import { change, type MysqlTransaction, query, type Value } from '../query.js';
import { tables } from '../schema/tables.js';
import { Expressions } from './expressions.js';
import { Places } from './places.js';
import { readTable } from './table.js';

/** The texts of a row's place, by column. */
type Place = Readonly<Record<string, string>>;

interface Progress {
  last: string | null;
  rows: string;
  done: number | string;
}

/**
 * One step, in the transaction of the caller. The rows are read without locks, at READ COMMITTED. A row that comes or goes
 * between the two statements is captured by its trigger.
 */
export async function backfill(
  on: MysqlTransaction,
  context: Context,
  plan: CapturePlan,
  { batch, priority, first }: BackfillOptions,
): Promise<BackfillStep> {
  const { sql } = context;
  if (first) {
    await change(on, sql.captures.beginBackfill, [plan.name]);
    // The changes that were lost so far are committed, so the backfill reads them.
    if (plan.onError === 'note') await change(on, sql.captures.forgetLosses, [plan.name]);
  }
  const [progress] = await query<Progress>(on, sql.captures.lockBackfill, [plan.name]);
  const before = Number(progress?.rows ?? 0);
  if (progress === undefined || Number(progress.done) === 1) return { rows: before, done: true };
  const table = await readTable(on, context, plan);
  const last: Place | null = progress.last === null ? null : JSON.parse(progress.last);
  const expressions = new Expressions(plan, table);
  const places = new Places(plan, table.columns, 'n');
  const behind = last === null ? NOWHERE : valuesOf(places.behind, last);
  const found = await query<Place>(
    on,
    `SELECT ${places.texts} FROM ${table.name} AS n WHERE ${behind.text} ORDER BY ${places.order} LIMIT ?`,
    [...behind.values, batch],
  );
  if (last !== null) refuseAgain(plan, found, last);
  const newest = found.at(-1);
  if (newest !== undefined) {
    const beyond = valuesOf(places.behind, newest);
    const meets = expressions.meets('n');
    const { queue, kind, maxAttempts, limits } = plan.job;
    await change(
      on,
      `INSERT INTO ${tables(context.schema).job} (queue, kind, \`key\`, payload, priority, max_attempts, limits, created_by)
       SELECT ${literal(queue)}, ${literal(kind)}, ${expressions.key('n')}, ${expressions.payload(`'op', 'backfill'`, expressions.id('n'), ['n'])},
              ?, ${maxAttempts}, ${literal(limits)}, ${literal(`capture ${plan.name}`)}
       FROM ${table.name} AS n
       WHERE ${behind.text} AND NOT (${beyond.text})${meets === null ? '' : ` AND ${meets}`}
       ORDER BY ${places.order}`,
      [priority, ...behind.values, ...beyond.values],
    );
  }
  const done = found.length < batch;
  const place = newest === undefined ? null : JSON.stringify(newest);
  await change(on, sql.captures.moveBackfill, [place, found.length, done, plan.name]);
  return { rows: before + found.length, done };
}

const NOWHERE = { text: 'TRUE', values: [] };

function valuesOf(
  { text, names }: { readonly text: string; readonly names: readonly string[] },
  place: Place,
): { readonly text: string; readonly values: readonly Value[] } {
  return { text, values: names.map((name) => place[name] ?? null) };
}

/** The row of the last place is behind it again if the place was read back as another one: the backfill would not end. */
function refuseAgain(plan: CapturePlan, found: readonly Place[], last: Place): void {
  if (!found.some((place) => plan.id.every((column) => place[column] === last[column]))) return;
  throw refusedTable(
    plan,
    `has ids which the server reads back as others, so that the backfill does not get beyond ${JSON.stringify(last)}. Name another unique key as id`,
  );
}
