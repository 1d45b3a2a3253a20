import {
  type LimitedJob,
  type LimitedJobs,
  type LimitedJobsBounds,
  type LimitedPart,
  type LimitInUse,
  limitsInUse,
  type QueuePart,
} from '@rowlock/core/driver';
import { callAtGate, type GateCallParts } from '../claims/limit-call.js';
import type { Context } from '../context.js';
import { type HeldRow, held } from '../insight/rows.js';
import { heldBy } from '../jobs/selection.js';
import { call, type MysqlTransaction, query } from '../query.js';
import { type LimitSettingRow, toLimitSetting } from '../rows.js';
import { raw } from '../values/fragment.js';
import { inParts, list } from '../values/list.js';
import { gateOf } from '../workers/lock-name.js';

/** The fewest jobs of a part that are counted, and the most parts of one statement. */
const LEAST = 10;
const MOST_PARTS = 64;

type LimitedRow = HeldRow & QueuePart;

/** The due jobs with limits, and those that a run has. @throws DriverError */
export async function limitedJobs(
  on: MysqlTransaction,
  context: Context,
  { parts: most, counted }: LimitedJobsBounds,
): Promise<LimitedJobs> {
  const { sql, lockPrefix } = context;
  const queues = (await query<{ queue: string }>(on, sql.insight.queues)).map(({ queue }) => queue);
  const parts = await allParts(on, context, queues, most);
  const share = Math.max(LEAST, Math.floor(counted / Math.max(1, parts.length)));
  const leased = await query<LimitedRow>(on, sql.limitedJobs.leasedLimitedJobs, [lockPrefix]);
  const { latest, workers, values } = await heldBy(on, context, raw('TRUE'));
  const running = await query<LimitedRow>(on, sql.limitedJobs.heldLimitedJobs(latest, workers), [
    lockPrefix,
    ...values,
  ]);
  const due: LimitedPart[] = [];
  for (const some of inParts(parts, MOST_PARTS)) {
    const { given, valuesOf } = partValues(some);
    const counts = await query<{ place: number | string; due: string }>(
      on,
      sql.limitedJobs.limitedDue(given),
      valuesOf(share + 1),
    );
    for (const [place, part] of some.entries()) {
      const found = Number(counts.find((row) => Number(row.place) === place)?.due ?? 0);
      if (found > 0) due.push({ ...part, due: Math.min(found, share), more: found > share });
    }
  }
  return { parts: due, held: [...leased, ...running].flatMap(limitedJob) };
}

/** How many parts a statement is given, and the values of each: queue, limits, and a number of jobs, 0 for a part that fills up. */
export function partValues(parts: readonly QueuePart[]): {
  readonly given: number;
  readonly valuesOf: (jobs: number) => readonly (string | number)[];
} {
  const given = list(parts).values.flatMap((part) => (part === null ? [] : [part]));
  return {
    given: given.length,
    valuesOf: (jobs) =>
      given.flatMap(({ queue, limits }, place) => [queue, limits, place < parts.length ? jobs : 0]),
  };
}

/** The parts of queues that have due jobs with limits, also paused ones. @throws DriverError */
export async function allParts(
  on: MysqlTransaction,
  { sql }: Context,
  queues: readonly string[],
  most: number,
): Promise<readonly QueuePart[]> {
  const rows = await call<QueuePart>(on, sql.limits.limitedParts, [JSON.stringify(queues), '', most, true]);
  return rows.map(({ queue, limits }) => ({ queue, limits }));
}

/** The limits whose numbers were set, that have slots, or from which a start was taken. @throws DriverError */
export async function limitsOn(
  parts: GateCallParts,
  on: MysqlTransaction,
  names?: readonly string[],
): Promise<readonly LimitInUse[]> {
  const { sql } = parts.context;
  const given = names === undefined ? { places: '', values: [] } : list(names);
  const [settings, slots, starts] = await Promise.all([
    query<LimitSettingRow>(on, sql.limitedJobs.settings(given.places), given.values),
    query<{ name: string }>(on, sql.limitedJobs.slotNames(given.places), given.values).then((rows) =>
      takenSlots(
        parts,
        rows.map(({ name }) => name),
      ),
    ),
    query<{ name: string; next_us: string }>(on, sql.limitedJobs.startTimes(given.places), given.values),
  ]);
  return limitsInUse(
    settings.map(toLimitSetting),
    slots,
    starts.map(({ name, next_us }) => ({ name, nextInUs: Number(next_us) })),
  );
}

/** How many slots are taken. Without a limit whose gate stays closed. */
async function takenSlots(
  parts: GateCallParts,
  names: readonly string[],
): Promise<readonly { readonly name: string; readonly taken: number }[]> {
  const { sql, lockPrefix } = parts.context;
  if (names.length === 0) return [];
  const gates = JSON.stringify(names.map((name) => [name, gateOf(lockPrefix, name)]));
  const [row] = await callAtGate<{ taken: string }>(parts, sql.limitedJobs.takenSlots, [gates]);
  const taken: readonly (number | null)[] = JSON.parse(row?.taken ?? '[]');
  return names.flatMap((name, place) => {
    const slots = taken[place] ?? null;
    return slots === null ? [] : [{ name, taken: slots }];
  });
}

function limitedJob(row: LimitedRow): readonly LimitedJob[] {
  const { queue, limits, status } = row;
  return held(row).map((job) => ({ ...job, queue, limits, due: status === 'new' }));
}
