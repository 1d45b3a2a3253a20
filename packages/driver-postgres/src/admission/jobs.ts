import {
  type LimitedJobs,
  type LimitedJobsBounds,
  type LimitInUse,
  limitsInUse,
  type NamedJob,
} from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { type RunRow, toRun } from '../insight/facts.js';
import { answers, type PostgresTransaction, query } from '../query.js';
import { type LimitSettingRow, toLimitSetting } from '../rows.js';
import type { Statements } from '../statements.js';

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

/** The limits whose numbers were set, that have slots, or from which a start was taken. @throws DriverError */
export async function limitsOn(
  on: PostgresTransaction,
  sql: Statements,
  names?: readonly string[],
): Promise<readonly LimitInUse[]> {
  const [settings, slots, starts] = await Promise.all([
    answers<LimitSettingRow>(on, sql.limitedJobs.settings, [names === undefined ? null : toText(names)]),
    query<{ name: string; taken: bigint }>(on, sql.limitedJobs.takenSlots, [names ?? null]),
    query<{ name: string; next_us: number }>(on, sql.limitedJobs.startTimes, [names ?? null]),
  ]);
  return limitsInUse(
    settings.map(toLimitSetting),
    slots.map(({ name, taken }) => ({ name, taken: Number(taken) })),
    starts.map(({ name, next_us }) => ({ name, nextInUs: Number(next_us) })),
  );
}

interface Columns {
  [column: string]: unknown;
}
