import { createHash } from 'node:crypto';
import type { BackfillOptions, BackfillStep, CapturePlan, RowId } from '@rowlock/core/driver';
import { type BackfillRows, fillRows, lossOf, readAgain, redefined } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { toDriverError } from '../errors.js';
import { literal } from '../literal.js';
import { change, type MysqlTransaction, query, type Value } from '../query.js';
import { tables } from '../schema/tables.js';
import { Expressions } from './expressions.js';
import { triggerPrefix } from './names.js';
import { Places } from './places.js';
import { type CapturedTable, readTable } from './table.js';

interface Progress {
  /** A `Place`. */
  last: string;
  rows: string;
  done: number | string;
}

/** How far a backfill has come. */
interface Place {
  /** The `definition` of the rows. Of another one, or another type of an id, it is no place. */
  readonly of: string;
  /** The texts of the last row. Null: none yet. */
  readonly at: RowId | null;
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
  const table = await readTable(on, context, plan);
  const rows = new RowsBehind(on, plan, { context, table, priority });
  const prefix = triggerPrefix(context.schema, plan.name);
  const triggers = await query(on, sql.captures.captureTriggers, [table.schema, table.table, prefix, prefix]);
  const of = rows.definition(JSON.stringify(triggers));
  if (first) await change(on, sql.captures.beginBackfill, [plan.name, of]);
  const [progress] = await query<Progress>(on, sql.captures.lockBackfill, [plan.name]);
  const before = Number(progress?.rows ?? 0);
  if (progress === undefined || Number(progress.done) === 1) return { rows: before, done: true, refused: [] };
  const last: Place = JSON.parse(progress.last);
  if (last.of !== of) throw redefined(plan);
  // The changes that were lost before it begins are committed, so it reads them.
  if (last.at === null) await change(on, sql.captures.forgetLosses, [plan.name]);
  rows.last = last.at;
  const { read, done, refused } = await fillRows(rows, batch);
  const loss = lossOf(refused);
  if (loss !== null) await change(on, sql.captures.noteLoss, [plan.name, loss]);
  const place: Place = { of, at: rows.last };
  await change(on, sql.captures.moveBackfill, [JSON.stringify(place), read, done, plan.name]);
  return { rows: before + read, done, refused };
}

interface FillParts {
  readonly context: Context;
  readonly table: CapturedTable;
  readonly priority: number;
}

/** The rows behind a place, in the order of `id`. */
class RowsBehind implements BackfillRows {
  readonly #on: MysqlTransaction;
  readonly #plan: CapturePlan;
  readonly #parts: FillParts;
  readonly #sql: Expressions;
  readonly #places: Places;
  /** The place of the last row that it has come to. Null: none yet. */
  last: RowId | null = null;

  constructor(on: MysqlTransaction, plan: CapturePlan, parts: FillParts) {
    this.#on = on;
    this.#plan = plan;
    this.#parts = parts;
    this.#sql = new Expressions(plan, parts.table);
    this.#places = new Places(plan, parts.table.columns, 'n');
  }

  /**
   * A hash of the statement that enqueues the rows behind a place, of the types by which the place is read, and of the triggers:
   * a row in front of the place may have changed while there were none.
   */
  definition(triggers: string): string {
    const types = this.#plan.id.map((name) => this.#parts.table.columns.get(name)?.full);
    return createHash('sha256')
      .update(`${triggers} ${types.join()} ${this.#insert(this.#places.behind.text)}`)
      .digest('hex');
  }

  async write(most: number): Promise<number> {
    const found = await this.#next(most);
    const newest = found.at(-1);
    if (newest === undefined) return 0;
    await this.#send('SAVEPOINT rowlock_rows');
    const beyond = valuesOf(this.#places.behind, newest);
    const behind = this.#behind;
    await change(this.#on, `${this.#mode}${this.#insert(`${behind.text} AND NOT (${beyond.text})`)}`, [
      this.#parts.priority,
      ...behind.values,
      ...beyond.values,
    ]);
    this.last = newest;
    return found.length;
  }

  undo(): Promise<unknown> {
    return this.#send('ROLLBACK TO SAVEPOINT rowlock_rows');
  }

  async pass(): Promise<RowId | null> {
    const [place] = await this.#next(1);
    if (place === undefined) return null;
    // The place of a text is not the text.
    const [named] = await this.#read<{ id: string }>(`CAST(${this.#sql.id('n')} AS CHAR) AS id`, 1);
    this.last = place;
    return named === undefined ? place : JSON.parse(named.id);
  }

  /** As the triggers have it. Only MariaDB needs it, and has words for one statement. */
  get #mode(): string {
    return this.#parts.table.product === 'MariaDB' ? "SET STATEMENT sql_mode = '' FOR " : '';
  }

  /** @param where Which rows. */
  #insert(where: string): string {
    const meets = this.#sql.meets('n');
    const { queue, kind, maxAttempts, limits } = this.#plan.job;
    const { context, table } = this.#parts;
    return `INSERT INTO ${tables(context.schema).job} (queue, kind, \`key\`, payload, priority, max_attempts, limits, created_by)
       SELECT ${literal(queue)}, ${literal(kind)}, ${this.#sql.key('n')}, ${this.#sql.payload(`'op', 'backfill'`, this.#sql.id('n'), ['n'])},
              ?, ${maxAttempts}, ${literal(limits)}, ${literal(`capture ${this.#plan.name}`)}
       FROM ${table.name} AS n
       WHERE ${where}${meets === null ? '' : ` AND ${meets}`}
       ORDER BY ${this.#places.order}`;
  }

  get #behind(): Given {
    return this.last === null ? NOWHERE : valuesOf(this.#places.behind, this.last);
  }

  async #next(most: number): Promise<readonly RowId[]> {
    const found = await this.#read<RowId>(this.#places.texts, most);
    if (this.last !== null) refuseAgain(this.#plan, found, this.last);
    return found;
  }

  #read<Row>(columns: string, most: number): Promise<readonly Row[]> {
    const { text, values } = this.#behind;
    return query<Row>(
      this.#on,
      `SELECT ${columns} FROM ${this.#parts.table.name} AS n WHERE ${text} ORDER BY ${this.#places.order} LIMIT ?`,
      [...values, most],
    );
  }

  /** The server prepares no such statement. */
  async #send(sql: string): Promise<void> {
    await this.#on.query(sql).catch((error: unknown) => {
      throw toDriverError(error);
    });
  }
}

/** Conditions, and what their placeholders stand for. */
interface Given {
  readonly text: string;
  readonly values: readonly Value[];
}

const NOWHERE: Given = { text: 'TRUE', values: [] };

function valuesOf(
  { text, names }: { readonly text: string; readonly names: readonly string[] },
  place: RowId,
): Given {
  return { text, values: names.map((name) => place[name] ?? null) };
}

/** The row of the last place is behind it again if the place was read back as another one: the backfill would not end. */
function refuseAgain(plan: CapturePlan, found: readonly RowId[], last: RowId): void {
  if (!found.some((place) => plan.id.every((column) => place[column] === last[column]))) return;
  throw readAgain(plan, last);
}
