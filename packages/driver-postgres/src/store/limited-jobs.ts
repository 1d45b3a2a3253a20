import type { LimitedJobs, LimitedJobsBounds, NamedJob, RateTime, TakenSlots } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type RunRow, toRun } from '../insight/facts.js';
import { type PostgresTransaction, query } from '../query.js';

interface PartRow {
  queue: string;
  limits: string;
  due: bigint;
  more: boolean;
}

interface HeldRow {
  named: NamedJob;
  queue: string;
  limits: string;
  due: boolean;
  run: RunRow;
}

/** The due jobs with limits, and those that a run has. @throws DriverError */
export async function limitedJobs(
  on: PostgresTransaction,
  { sql, lockClass }: Context,
  { parts: most, counted }: LimitedJobsBounds,
): Promise<LimitedJobs> {
  const parts = await query<PartRow & Columns>(on, sql.limitedJobs.limitedPartsOfAll, [most, counted]);
  const held = await query<HeldRow & Columns>(on, sql.limitedJobs.heldLimitedJobs, [lockClass.unsigned]);
  return {
    parts: parts.map(({ queue, limits, due, more }) => ({ queue, limits, due: Number(due), more })),
    held: held.map(({ named, queue, limits, due, run }) => ({
      ...named,
      queue,
      limits,
      due,
      run: toRun(run),
    })),
  };
}

/** How many slots of limits are taken. @throws DriverError */
export async function takenSlots(
  on: PostgresTransaction,
  { sql }: Context,
  names?: readonly string[],
): Promise<readonly TakenSlots[]> {
  const rows = await query<{ name: string; taken: bigint }>(on, sql.limitedJobs.takenSlots, [names ?? null]);
  return rows.map(({ name, taken }) => ({ name, taken: Number(taken) }));
}

/** The times of rates that were ever used. @throws DriverError */
export async function rateTimes(
  on: PostgresTransaction,
  { sql }: Context,
  names?: readonly string[],
): Promise<readonly RateTime[]> {
  const rows = await query<{ name: string; next_us: number }>(on, sql.limitedJobs.rateTimes, [names ?? null]);
  return rows.map(({ name, next_us: nextInUs }) => ({ name, nextInUs }));
}

interface Columns {
  [column: string]: unknown;
}
