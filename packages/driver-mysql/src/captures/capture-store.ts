import { DriverError, InvalidInputError, isDriverError } from '@rowlock/core';
import {
  type AppliedCapture,
  type BackfillOptions,
  type BackfillStep,
  type CapturePlan,
  type CaptureProblem,
  type CaptureStore,
  type CheckedCapture,
  despiteDeadlocks,
  type WakeUp,
} from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { HandlerTransaction } from '../claims/handler-transaction.js';
import { onNew } from '../connection/connect.js';
import type { Context } from '../context.js';
import { isReadOnly, toDriverError } from '../errors.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { type MysqlTransaction, query } from '../query.js';
import { tables } from '../schema/tables.js';
import { backfill } from './backfill.js';
import {
  type Difference,
  differences,
  dropTrigger,
  findCapture,
  namesakes,
  refuseHidden,
} from './differences.js';
import { statesOf } from './states.js';
import { readTable } from './table.js';
import { tryOut } from './trial.js';
import { type Wanted, wantedFor } from './triggers.js';

/** How long a process waits for another one that changes triggers, in seconds. */
const TURN_SECONDS = 60;

/** Warnings of a query that are errors here: a value is cut, wrong, or out of its range. */
const STRICT_ERRORS: ReadonlySet<number> = new Set([1264, 1265, 1292, 1366]);

/**
 * Triggers keep the mode of the session that makes them. They cut no value, and when strict MariaDB would refuse each write of a
 * text with a sign that Unicode does not have.
 */
const LENIENT = "sql_mode = 'NO_ENGINE_SUBSTITUTION'";

/** The server has a binary log, and lets only some accounts make triggers. */
const LOGGED = 1419;

interface CaptureParts {
  readonly context: Context;
  readonly on: MysqlTransaction;
  readonly inTransaction: InTransaction;
  /** Opens a connection outside the pool. */
  readonly connect: () => Promise<Connection>;
  /** Wakes workers after a commit. */
  readonly wake: (wakeUps: readonly WakeUp[]) => void;
}

/** The captures of a database: triggers, compared with the catalog. */
export class MysqlCaptures implements CaptureStore<MysqlTransaction> {
  readonly #parts: CaptureParts;

  constructor(parts: CaptureParts) {
    this.#parts = parts;
  }

  async sql(captures: readonly CapturePlan[]): Promise<string> {
    const { context, on } = this.#parts;
    const { job, bell, captureLoss } = tables(context.schema);
    const parts: string[] = [];
    for (const plan of captures) {
      const wanted = await this.#wanted(on, plan);
      const away = namesakes(wanted, await findCapture(on, context, plan.name));
      parts.push(...away.map((trigger) => `${dropTrigger(trigger)};\n`));
      parts.push(...wanted.triggers.map(({ create }) => forTheClient(create)));
    }
    return `-- The triggers of Rowlock's captures. They work with the rights of the account that runs this script.
-- The account needs TRIGGER and SELECT on the tables, SELECT, INSERT and UPDATE on ${job},
-- and INSERT on ${bell} and ${captureLoss}. With a binary log it also needs SUPER,
-- or the server log_bin_trust_function_creators = 1.

SET NAMES utf8mb4;
SET SESSION ${LENIENT};

${parts.join('\n')}`;
  }

  async apply(plan: CapturePlan, lockMs: number): Promise<AppliedCapture> {
    const { warnings, found } = await this.#look(this.#parts.on, plan);
    if (found.length === 0) return { changed: false, warnings };
    return this.#oneAtATime(lockMs, async (client) => {
      const now = await this.#look(client, plan);
      for (const probe of this.#probes(plan)) await client.query(probe);
      await client.query(`SET SESSION ${LENIENT}`);
      for (const { mend } of now.found) for (const statement of mend) await client.query(statement);
      return { changed: now.found.length > 0, warnings: now.warnings };
    });
  }

  async check(plan: CapturePlan): Promise<CheckedCapture> {
    try {
      const { warnings, found, isOwn } = await this.#look(this.#parts.on, plan);
      if (isOwn) await this.#checkRights(plan);
      const problems = found.map(({ code, message }): CaptureProblem => ({ code, message }));
      return { problems: [...problems, ...(await this.#losses(plan))], warnings };
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      return { problems: [{ code: 'table', message: error.message }], warnings: [] };
    }
  }

  states(captures: readonly CapturePlan[]): Promise<readonly string[]> {
    return statesOf(this.#parts.on, this.#parts.context, captures);
  }

  async drop(name: string, lockMs: number): Promise<boolean> {
    const { context, on } = this.#parts;
    if ((await findCapture(on, context, name)).length === 0) return false;
    return this.#oneAtATime(lockMs, async (client) => {
      const found = await findCapture(client, context, name);
      for (const trigger of found) await client.query(dropTrigger(trigger));
      return found.length > 0;
    });
  }

  async backfill(plan: CapturePlan, options: BackfillOptions): Promise<BackfillStep> {
    const { context, inTransaction, wake } = this.#parts;
    const step = await despiteDeadlocks(() => inTransaction((tx) => backfill(tx, context, plan, options)));
    wake([{ queue: plan.job.queue }]);
    return step;
  }

  async mute(tx: MysqlTransaction, kind: string | null): Promise<unknown> {
    const value = kind === null ? null : `not ${kind}`;
    if (tx instanceof HandlerTransaction) return tx.mute(value);
    return tx.query('SET @rowlock_capture = ?', [value]);
  }

  /** What differs from what the capture needs, and what of its table is not captured. */
  async #look(
    on: MysqlTransaction,
    plan: CapturePlan,
  ): Promise<{
    readonly warnings: readonly string[];
    readonly found: readonly Difference[];
    /** Whether there are triggers with the rights of this account. */
    readonly isOwn: boolean;
  }> {
    const wanted = await this.#wanted(on, plan);
    const found = await findCapture(on, this.#parts.context, plan.name);
    await refuseHidden(on, wanted, found);
    return {
      warnings: wanted.table.warnings,
      found: differences(wanted, found),
      isOwn: found.some((trigger) => trigger.isOwn),
    };
  }

  /** Runs a query of which a warning is an error: a trigger would go on with another value. @throws DriverError */
  readonly #strictly = (sql: string): Promise<readonly object[]> =>
    this.#parts.inTransaction(async (tx) => {
      try {
        const [rows] = await tx.query(sql);
        const [warnings] = await tx.query('SHOW WARNINGS');
        const [first] = warnings.filter(({ Code: code }: { Code: number }) =>
          STRICT_ERRORS.has(Number(code)),
        );
        if (first !== undefined) throw new DriverError('InvalidInput', first.Message);
        return rows;
      } catch (error) {
        throw toDriverError(error);
      }
    });

  async #wanted(on: MysqlTransaction, plan: CapturePlan): Promise<Wanted> {
    const { context } = this.#parts;
    const table = await readTable(on, context, plan);
    await tryOut(plan, table, this.#strictly);
    return wantedFor(plan, context, table);
  }

  /** Statements with the rights that the account of the triggers needs, which the server checks at each write alone. */
  #probes({ notify, bulkOver, onError }: CapturePlan): readonly string[] {
    const { job, bell, captureLoss } = tables(this.#parts.context.schema);
    const written = [
      job,
      ...(notify === 'never' ? [] : [bell]),
      ...(onError === 'note' ? [captureLoss] : []),
    ];
    return [
      ...written.map((table) => `EXPLAIN INSERT INTO ${table} () VALUES ()`),
      ...(bulkOver === null ? [] : [`EXPLAIN SELECT 1 FROM ${job} WHERE id = 0 FOR UPDATE`]),
    ];
  }

  /** @throws InvalidInputError when the triggers of this account may not write jobs, so that each writer fails. */
  async #checkRights(plan: CapturePlan): Promise<void> {
    for (const probe of this.#probes(plan))
      await query(this.#parts.on, probe).catch((cause: unknown) => {
        // A server that only reads refuses it, whatever the rights are.
        if (isReadOnly(Object(cause).cause)) return;
        if (!isDriverError(cause, 'PermissionDenied')) throw cause;
        throw new InvalidInputError(
          `The capture ${JSON.stringify(plan.name)}: its triggers have the rights of this account, which lacks one: ${cause.message}`,
          { cause },
        );
      });
  }

  /** One process at a time changes triggers, on a connection of its own. MySQL commits each statement by itself. */
  async #oneAtATime<Result>(lockMs: number, work: (client: Connection) => Promise<Result>): Promise<Result> {
    // Its end frees the lock.
    return onNew(this.#parts.connect, async (client) => {
      try {
        const name = `${this.#parts.context.lockPrefix}captures`;
        const [turn] = await query<{ held: number }>(client, 'SELECT GET_LOCK(?, ?) AS held', [
          name,
          TURN_SECONDS,
        ]);
        if (Number(turn?.held) !== 1)
          throw new DriverError(
            'LockTimeout',
            `Another process has been changing triggers for ${TURN_SECONDS} seconds.`,
          );
        await client.query(`SET SESSION lock_wait_timeout = ${Math.max(1, Math.ceil(lockMs / 1_000))}`);
        return await work(client);
      } catch (error) {
        throw explained(error);
      }
    });
  }

  /** Where the triggers note none, there may be those of a backfill, which not every account may see. */
  async #losses({ name, onError }: CapturePlan): Promise<readonly CaptureProblem[]> {
    const { context, on } = this.#parts;
    const [row] = await query<{ losses: number; newest: string | null; error: string | null }>(
      on,
      context.sql.captures.captureLosses,
      [name],
    ).catch((error: unknown) => {
      if (onError === 'note' || !isDriverError(error, 'PermissionDenied')) throw error;
      return [];
    });
    if (row === undefined || Number(row.losses) === 0) return [];
    const message = `${row.losses} changes were not captured, the last one at ${row.newest}: ${row.error}. A backfill makes up for them.`;
    return [{ code: 'lost', message }];
  }
}

function explained(error: unknown): DriverError {
  const found = toDriverError(error);
  if (found.code !== 'PermissionDenied' && Object(found.cause).errno !== LOGGED) return found;
  return new DriverError(
    'PermissionDenied',
    `This account may not make the triggers: let a DBA run the script of captures.sql(). ${found.message}`,
    { cause: error },
  );
}

/** Sets another delimiter: the client would end the statement at the first semicolon. */
function forTheClient(statement: string): string {
  for (let delimiter = '$$'; ; delimiter += '$')
    if (!statement.includes(delimiter))
      return `DELIMITER ${delimiter}\n${statement}${delimiter}\nDELIMITER ;\n`;
}
