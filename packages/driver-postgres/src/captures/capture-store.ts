import { InvalidInputError, isDriverError } from '@rowlock/core';
import {
  type AppliedCapture,
  type BackfillOptions,
  type BackfillStep,
  type CapturePlan,
  type CaptureProblem,
  type CaptureStore,
  type CheckedCapture,
  despiteDeadlocks,
} from '@rowlock/core/driver';
import { BEGIN_READING } from '../connection/pipeline/transaction-words.js';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { type PostgresTransaction, type Queryable, query } from '../query.js';
import { tables } from '../schema/tables.js';
import { backfill } from './backfill.js';
import { type Difference, differences, dropTrigger, findCapture, missedReplicas } from './differences.js';
import { functionName, quotedFunction } from './names.js';
import { checkRights } from './rights.js';
import { type CapturedTable, readTable } from './table.js';
import { SET_TEXTS } from './text-settings.js';
import { tryOut } from './trial.js';
import { type Wanted, wantedFor } from './triggers.js';

/** Works in a transaction of its own. @param beginning The words that begin it. Default: those of one that writes. */
type InTransaction = <Result>(
  work: (on: Queryable) => Promise<Result>,
  beginning?: string,
) => Promise<Result>;

interface Look {
  readonly table: CapturedTable;
  /** The account of the function. Null: there is none yet. */
  readonly owner: string | null;
  readonly warnings: readonly string[];
  readonly found: readonly Difference[];
}

/** The captures of a database: functions and triggers, compared with the catalog. */
export class PostgresCaptures implements CaptureStore<PostgresTransaction> {
  readonly #context: Context;
  readonly #on: PostgresTransaction;
  readonly #inTransaction: InTransaction;

  constructor(context: Context, on: PostgresTransaction, inTransaction: InTransaction) {
    this.#context = context;
    this.#on = on;
    this.#inTransaction = inTransaction;
  }

  async sql(captures: readonly CapturePlan[]): Promise<string> {
    const { schema } = this.#context;
    const parts: string[] = [];
    for (const plan of captures) {
      const { createFunction, triggers, table } = await this.#wanted(this.#on, plan);
      await this.#try(plan, table);
      const statements = [...createFunction, ...triggers.map(({ create }) => create)];
      parts.push(`-- ${JSON.stringify(plan.name)}\n${statements.map((each) => `${each};\n`).join('\n')}`);
    }
    const { job, bell, worker, captureLoss } = tables(schema);
    return `-- The triggers of Rowlock's captures. They work with the rights of the role that runs this script.
-- The role needs TRIGGER on the tables, CREATE and USAGE on the schema ${identifier(schema)},
-- INSERT on ${[job, bell, captureLoss].join(', ')}, and SELECT on ${worker}.

BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

${parts.join('\n')}
COMMIT;
`;
  }

  async apply(plan: CapturePlan, lockMs: number): Promise<AppliedCapture> {
    const { warnings, found } = await this.#lookAndTry(plan);
    if (found.length === 0) return { changed: false, warnings };
    return this.#inTransaction(async (on) => {
      await this.#lock(on, lockMs);
      const now = await this.#look(on, plan);
      await query(on, SET_TEXTS);
      for (const { mend } of now.found) for (const statement of mend) await query(on, statement);
      return { changed: now.found.length > 0, warnings: now.warnings };
    });
  }

  async check(plan: CapturePlan): Promise<CheckedCapture> {
    try {
      const { warnings, found } = await this.#lookAndTry(plan);
      const problems = found.map(({ code, message }): CaptureProblem => ({ code, message }));
      return { problems: [...problems, ...(await this.#losses(plan))], warnings };
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      return { problems: [{ code: 'table', message: error.message }], warnings: [] };
    }
  }

  async states(captures: readonly CapturePlan[]): Promise<readonly string[]> {
    const { sql, schema } = this.#context;
    const { job, bell, worker, captureLoss } = tables(schema);
    const losses = captures.some(({ onError }) => onError === 'note');
    const text = losses ? sql.captures.captureStatesAndLosses : sql.captures.captureStates;
    const rows = await query<{ state: string }>(this.#on, text, [
      captures.map(({ table }) => table.map(identifier).join('.')),
      captures.map(({ name }) => functionName(name)),
      schema,
      [job, bell, worker, captureLoss],
      captures.map(({ name, onError }) => (onError === 'note' ? name : null)),
    ]);
    return rows.map(({ state }) => state);
  }

  async drop(name: string, lockMs: number): Promise<boolean> {
    if ((await findCapture(this.#on, this.#context, name)) === null) return false;
    return this.#inTransaction(async (on) => {
      await this.#lock(on, lockMs);
      const found = await findCapture(on, this.#context, name);
      if (found === null) return false;
      for (const trigger of found.triggers) await query(on, dropTrigger(trigger));
      await query(on, `DROP FUNCTION ${quotedFunction(this.#context.schema, name)}()`);
      return true;
    });
  }

  backfill(plan: CapturePlan, options: BackfillOptions): Promise<BackfillStep> {
    return despiteDeadlocks(() => this.#inTransaction((on) => backfill(on, this.#context, plan, options)));
  }

  async mute(tx: PostgresTransaction, kind: string | null): Promise<unknown> {
    return tx.query("SELECT set_config('rowlock.capture', $1, true)", [kind === null ? '' : `not ${kind}`]);
  }

  /** What differs from what the capture needs, and what of its table is not captured. */
  async #look(on: Queryable, plan: CapturePlan): Promise<Look> {
    const wanted = await this.#wanted(on, plan);
    const found = await findCapture(on, this.#context, plan.name);
    const { table } = wanted;
    return {
      table,
      owner: found?.owner ?? null,
      warnings: [...table.warnings, ...missedReplicas(wanted, found)],
      found: differences(wanted, found),
    };
  }

  /** @throws InvalidInputError when writers would fail on the triggers. */
  async #lookAndTry(plan: CapturePlan): Promise<Look> {
    const look = await this.#look(this.#on, plan);
    await this.#try(plan, look.table);
    await checkRights(this.#on, this.#context, plan, look.owner);
    return look;
  }

  #try(plan: CapturePlan, table: CapturedTable): Promise<void> {
    const run = (sql: string): Promise<readonly { readonly keeps: boolean }[]> =>
      this.#inTransaction(async (on) => {
        await query(on, SET_TEXTS);
        return query(on, sql);
      }, BEGIN_READING);
    return tryOut(plan, this.#context, table, run);
  }

  async #wanted(on: Queryable, plan: CapturePlan): Promise<Wanted> {
    return wantedFor(plan, this.#context, await readTable(on, this.#context, plan));
  }

  /** One process at a time changes triggers. Its statements wait for their tables' locks for a bounded time. */
  async #lock(on: Queryable, lockMs: number): Promise<void> {
    const { sql, schema } = this.#context;
    await query(on, sql.captures.lockCaptures, [schema]);
    await query(on, sql.enqueues.boundWaits, [`${lockMs}ms`]);
  }

  /** Where the triggers note none, there may be those of a backfill, which not every account may see. */
  async #losses({ name, onError }: CapturePlan): Promise<readonly CaptureProblem[]> {
    const [row] = await query<{ losses: number; newest: string | null; error: string | null }>(
      this.#on,
      this.#context.sql.captures.captureLosses,
      [name],
    ).catch((error: unknown) => {
      if (onError === 'note' || !isDriverError(error, 'PermissionDenied')) throw error;
      return [];
    });
    if (row === undefined || row.losses === 0) return [];
    const message = `${row.losses} statements were not captured, the last one at ${row.newest}: ${row.error}. A backfill makes up for them.`;
    return [{ code: 'lost', message }];
  }
}
