import { createHash } from 'node:crypto';
import { DriverError } from '@rowlock/core';
import type { BackfillOptions, BackfillStep, CapturePlan, RowId } from '@rowlock/core/driver';
import {
  type BackfillRows,
  fillRows,
  lossOf,
  readAgain,
  redefined,
  refusedTable,
} from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type Queryable, query } from '../query.js';
import { texts } from '../workers/texts.js';
import { backfillStatement } from './backfill-statement.js';
import type { Column } from './column.js';
import { functionName } from './names.js';
import { type CapturedTable, columnOf, readTable } from './table.js';
import { SET_TEXTS } from './text-settings.js';

interface Progress {
  last: Place;
  rows: bigint;
  done: boolean;
}

/** How far a backfill has come. */
interface Place {
  /** What `definitionOf` gave. Of another definition, or another type of an id, it is no place. */
  readonly of: string;
  /** The id of the last row. Null: none yet. */
  readonly at: RowId | null;
}

/** One step, in the transaction of the caller. */
export async function backfill(
  on: Queryable,
  context: Context,
  plan: CapturePlan,
  { batch, priority, first }: BackfillOptions,
): Promise<BackfillStep> {
  const { sql, channel } = context;
  // Its columns and policies stay as they are read.
  const name = plan.table.map(identifier).join('.');
  await query(on, `LOCK TABLE ${name} IN ACCESS SHARE MODE`);
  const table = await readTable(on, context, plan);
  const ofCapture = [context.schema, functionName(plan.name), name];
  const triggers = await query(on, sql.captures.captureTriggers, ofCapture);
  const of = definitionOf(plan, context, table, JSON.stringify(triggers));
  if (first) await query(on, sql.captures.beginBackfill, [plan.name, of]);
  const [progress] = await query<Progress>(on, sql.captures.lockBackfill, [plan.name]);
  if (progress === undefined || progress.done)
    return { rows: Number(progress?.rows ?? 0), done: true, refused: [] };
  if (progress.last.of !== of) throw redefined(plan);
  // The changes that were lost before it begins are committed, so it reads them.
  if (progress.last.at === null) await query(on, sql.captures.forgetLosses, [plan.name]);
  if (table.hidesRows) throw hidden(plan);
  const made = plan.id.find((name) => isMade(columnOf(table, name)));
  if (made !== undefined)
    throw refusedTable(plan, `cannot be filled by ${made}, whose type is made of others`);
  await query(on, SET_TEXTS);
  const rows = new RowsBehind(on, plan, { context, table, priority }, progress.last.at);
  const { read, done, refused } = await fillRows(rows, batch);
  const loss = lossOf(refused);
  if (loss !== null) await query(on, sql.captures.noteLoss, [plan.name, loss]);
  const place: Place = { of, at: rows.last };
  await query(on, sql.captures.moveBackfill, [plan.name, JSON.stringify(place), read, done]);
  await query(on, sql.bell.notify, [channel, texts([{ queue: plan.job.queue }])]);
  return { rows: Number(progress.rows) + read, done, refused };
}

/**
 * A hash of the statement that enqueues the rows behind a place, which has the types by which the place is read, and of the
 * triggers: a row in front of the place may have changed while there were none.
 */
function definitionOf(plan: CapturePlan, context: Context, table: CapturedTable, triggers: string): string {
  return createHash('sha256')
    .update(`${triggers} ${backfillStatement(plan, context, table, false, true)}`)
    .digest('hex');
}

interface FillParts {
  readonly context: Context;
  readonly table: CapturedTable;
  readonly priority: number;
}

/** The rows behind a place, in the order of `id`. */
class RowsBehind implements BackfillRows {
  readonly #on: Queryable;
  readonly #plan: CapturePlan;
  readonly #parts: FillParts;
  /** The id of the last row that it has come to. Null: none yet. */
  last: RowId | null;

  constructor(on: Queryable, plan: CapturePlan, parts: FillParts, last: RowId | null) {
    this.#on = on;
    this.#plan = plan;
    this.#parts = parts;
    this.last = last;
  }

  async write(most: number): Promise<number> {
    await query(this.#on, 'SAVEPOINT rowlock_rows');
    // A trigger of the application's may be deferred.
    await query(this.#on, 'SET CONSTRAINTS ALL IMMEDIATE');
    const { rows, last } = await this.#next(most, true);
    await query(this.#on, 'RELEASE SAVEPOINT rowlock_rows');
    this.last = last ?? this.last;
    return rows;
  }

  undo(): Promise<unknown> {
    return query(this.#on, 'ROLLBACK TO SAVEPOINT rowlock_rows');
  }

  async pass(): Promise<RowId | null> {
    const { last } = await this.#next(1, false);
    this.last = last ?? this.last;
    return last;
  }

  async #next(most: number, writes: boolean): Promise<{ rows: number; last: RowId | null }> {
    const { context, table, priority } = this.#parts;
    const { last } = this;
    const statement = backfillStatement(this.#plan, context, table, last === null, writes);
    const after = last === null ? [] : this.#plan.id.map((name) => last[name]);
    const [step = { rows: 0, last: null }] = await query<{ rows: number; last: RowId | null }>(
      this.#on,
      statement,
      [most, priority, ...after],
    );
    // The row of the last place is behind it again: the backfill would not end.
    if (last !== null && this.#plan.id.every((name) => step.last?.[name] === last[name]))
      throw readAgain(this.#plan, last);
    return step;
  }
}

/** To read such a value may call checks of whoever owns a domain in it. Rows of the server's own tables have no order. */
function isMade({ isBuiltIn, kind }: Column): boolean {
  return kind === 'c' || (!isBuiltIn && kind !== 'b' && kind !== 'e');
}

function hidden({ table }: CapturePlan): DriverError {
  return new DriverError(
    'PermissionDenied',
    `Row level security hides rows of ${table.join('.')} from this database user, so that a backfill would leave them out. ` +
      'Give the user BYPASSRLS, or a policy for it: CREATE POLICY … FOR SELECT TO … USING (true).',
  );
}
