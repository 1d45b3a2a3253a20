import { type DriverErrorCode, InvalidInputError, isDriverError } from '@rowlock/core';
import { type CapturePlan, type ColumnCondition, messageOf } from '@rowlock/core/driver';

/** A query that computes a part of a capture over no row. */
export interface CaptureTrial {
  /** The part as the definition has it, `when.status` say. */
  readonly option: string;
  readonly sql: string;
}

/**
 * Computes over no row what the triggers of a capture compute. Servers do not analyse the body of a trigger when it is
 * made, so that else each writer would fail.
 *
 * @param whole A query of all that the triggers compute, in all their branches.
 * @param parts Run only if that fails: the first that fails too is named.
 * @param run Rejects with a DriverError.
 * @throws InvalidInputError with the server's reason.
 */
export async function tryCapture(
  plan: CapturePlan,
  whole: string,
  parts: readonly CaptureTrial[],
  run: (sql: string) => Promise<unknown>,
): Promise<void> {
  const reason = await refusalOf(() => run(whole));
  if (reason === undefined) return;
  for (const { option, sql } of parts) {
    const its = await refusalOf(() => run(sql));
    if (its !== undefined) throw refusedTable(plan, refusedBy(option, its));
  }
  throw refusedTable(plan, refusedBy('these options', reason));
}

/**
 * Refuses a value of a condition that its column would cut or round, because no row ever has it.
 *
 * @param keep Rejects with a DriverError unless the column can have all of these values.
 * @throws InvalidInputError with the value.
 */
export async function tryValues(
  plan: CapturePlan,
  { column, values }: ColumnCondition,
  keep: (values: ColumnCondition['values']) => Promise<unknown>,
): Promise<void> {
  if (values.length === 0 || (await refusalOf(() => keep(values))) === undefined) return;
  for (const value of values) {
    if ((await refusalOf(() => keep([value]))) === undefined) continue;
    const which = typeof value === 'string' ? JSON.stringify(value) : String(value);
    throw refusedTable(plan, `cannot be captured with when.${column}, as the column never has ${which}`);
  }
}

/** @param why What follows the table's name, without the full stop. */
export function refusedTable({ name, table }: CapturePlan, why: string): InvalidInputError {
  return new InvalidInputError(`The capture ${JSON.stringify(name)}: the table ${table.join('.')} ${why}.`);
}

function refusedBy(option: string, reason: string): string {
  return `cannot be captured with ${option}, because each write would fail: ${reason}. Change the option, or the column`;
}

/** Undefined without an error. @throws an error that is not about the query, a lost connection say. */
async function refusalOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!isDriverError(error) || !ABOUT_QUERIES.has(error.code)) throw error;
    return messageOf(error.cause ?? error);
  }
}

/** With a query of the driver's own, a missing table or function is one that the options call for. */
const ABOUT_QUERIES: ReadonlySet<DriverErrorCode> = new Set(['InvalidInput', 'SchemaOutdated', 'Unknown']);
