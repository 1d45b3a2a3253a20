import type {
  LimitedJob,
  LimitedJobs,
  LimitedJobsBounds,
  LimitedPart,
  QueuePart,
  RateTime,
  TakenSlots,
} from '@rowlock/core/driver';
import { callAtGate, type GateCallParts } from '../claims/limit-call.js';
import type { Context } from '../context.js';
import { type HeldRow, held } from '../insight/rows.js';
import { call, type MysqlTransaction, query } from '../query.js';
import { raw } from '../values/fragment.js';
import { inParts, list } from '../values/list.js';
import { gateOf } from '../workers/lock-name.js';
import { heldBy } from './selection.js';

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

/** How many slots of limits are taken. @throws DriverError */
export async function takenSlots(
  parts: GateCallParts,
  on: MysqlTransaction,
  names?: readonly string[],
): Promise<readonly TakenSlots[]> {
  const { sql, lockPrefix } = parts.context;
  const wanted =
    names ?? (await query<{ name: string }>(on, sql.limitedJobs.slotNames)).map(({ name }) => name);
  if (wanted.length === 0) return [];
  const gates = JSON.stringify(wanted.map((name) => [name, gateOf(lockPrefix, name)]));
  const [row] = await callAtGate<{ taken: string }>(parts, sql.limitedJobs.takenSlots, [gates]);
  const taken: readonly (number | null)[] = JSON.parse(row?.taken ?? '[]');
  return wanted.flatMap((name, place) => {
    const slots = taken[place] ?? null;
    return slots === null ? [] : [{ name, taken: slots }];
  });
}

/** The times of rates that were ever used. @throws DriverError */
export async function rateTimes(
  on: MysqlTransaction,
  { sql }: Context,
  names?: readonly string[],
): Promise<readonly RateTime[]> {
  const given = names === undefined ? undefined : list(names);
  const text = given === undefined ? sql.limitedJobs.allRateTimes : sql.limitedJobs.rateTimes(given.places);
  const rows = await query<{ name: string; next_us: string }>(on, text, given?.values);
  return rows.map(({ name, next_us }) => ({ name, nextInUs: Number(next_us) }));
}

function limitedJob(row: LimitedRow): readonly LimitedJob[] {
  const { queue, limits, status } = row;
  return held(row).map((job) => ({ ...job, queue, limits, due: status === 'new' }));
}
