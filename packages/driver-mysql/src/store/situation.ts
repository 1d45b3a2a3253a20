import type { State } from '@rowlock/core';
import {
  type HeldJob,
  type HoldingRun,
  type NamedJob,
  NO_ID,
  namesIn,
  type RateTime,
  type Situation,
  type SituationQuestion,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { list } from '../values/list.js';
import { followed } from './followers.js';

/** A job, and the run of its record. */
export interface HeldRow {
  readonly id: string;
  readonly public_id: string;
  readonly kind: string;
  readonly status: State;
  readonly run_id: string | null;
  readonly worker: string | null;
  readonly since: string | null;
  readonly alive: number | string | null;
}

interface SituationRow extends HeldRow {
  readonly queue: string;
  readonly key: string | null;
  readonly priority: number;
  readonly limits: string;
  readonly due: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly error: string | null;
  readonly now: string;
  readonly available_at: string;
  readonly finished_at: string | null;
}

export interface RateTimeRow {
  readonly name: string;
  readonly next_us: string;
  readonly starts: number | null;
  readonly per_ms: string | null;
  readonly burst: number | null;
}

/** Finds what may be in the way of a job. @throws DriverError */
export async function situation(
  on: MysqlTransaction,
  context: Context,
  { publicId, after, most }: SituationQuestion,
): Promise<Situation | undefined> {
  const { sql, lockPrefix } = context;
  const [row] = await query<SituationRow>(on, sql.situation, [lockPrefix, publicId]);
  if (row === undefined) return undefined;
  const siblings = await siblingsOf(on, context, row);
  const [earlier] = siblings;
  return {
    ...named(row),
    now: new Date(Number(row.now)),
    queue: row.queue,
    key: row.key,
    limits: row.limits,
    status: row.status,
    due: Number(row.due) === 1,
    availableAt: new Date(Number(row.available_at)),
    finishedAt: date(row.finished_at),
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    error: row.error === null ? null : JSON.parse(row.error),
    run: runOf(row),
    sibling: siblings.flatMap(held)[0] ?? null,
    earlier: earlier !== undefined && BigInt(earlier.id) < BigInt(row.id) ? named(earlier) : null,
    dependency: await dependencyOf(on, context, row, after),
    followed: await followed(on, sql, row.public_id),
    before: await countBefore(on, context, row, most),
    rates: await rateTimes(on, context, row),
  };
}

/** The first available jobs of the same key, in the order of their ids. */
async function siblingsOf(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  { id, queue, key }: SituationRow,
): Promise<readonly HeldRow[]> {
  if (key === null) return [];
  const rows = await query<HeldRow>(on, sql.siblingRuns, [lockPrefix, key, queue, id]);
  return rows.toSorted((one, other) => Number(BigInt(one.id) - BigInt(other.id)));
}

async function dependencyOf(
  on: MysqlTransaction,
  { sql }: Context,
  { id, key }: SituationRow,
  after: readonly string[],
): Promise<NamedJob | null> {
  if (key === null || after.length === 0) return null;
  const kinds = list(after);
  const text = sql.firstOutstanding(kinds.places, '?');
  const [first] = await query<{ id: string | null }>(on, text, [key, ...kinds.values, NO_ID, id, NO_ID]);
  if (!first?.id) return null;
  const [row] = await query<Pick<HeldRow, 'public_id' | 'kind'>>(on, sql.named, [first.id]);
  return row === undefined ? null : named(row);
}

async function countBefore(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  { id, queue, priority, limits }: SituationRow,
  most: number,
): Promise<number> {
  const values = [lockPrefix, queue, limits, priority, priority, id, 2 * most];
  const [row] = await query<{ jobs: string }>(on, sql.countBefore, values);
  return Math.min(most, Number(row?.jobs ?? 0));
}

async function rateTimes(
  on: MysqlTransaction,
  { sql }: Context,
  { limits }: SituationRow,
): Promise<readonly RateTime[]> {
  const wanted = namesIn(limits);
  if (wanted.length === 0) return [];
  const { places, values } = list(wanted);
  const rows = await query<RateTimeRow>(on, sql.rateTimes(places), values);
  return rows.map(toRateTime);
}

export function toRateTime({ name, next_us, starts, per_ms, burst }: RateTimeRow): RateTime {
  const numbers =
    starts === null || per_ms === null || burst === null ? null : { starts, perMs: Number(per_ms), burst };
  return { name, nextInUs: Number(next_us), numbers };
}

export function named({ public_id: publicId, kind }: Pick<HeldRow, 'public_id' | 'kind'>): NamedJob {
  return { publicId, kind };
}

export function held(row: HeldRow): readonly HeldJob[] {
  const run = runOf(row);
  return run === null ? [] : [{ ...named(row), run }];
}

export function runOf({ status, run_id, worker, since, alive }: HeldRow): HoldingRun | null {
  const isAlive = Number(alive) === 1;
  if (run_id === null || (!isAlive && status !== 'in-progress')) return null;
  return { runId: run_id, worker, since: date(since), alive: isAlive };
}

function date(ms: string | null): Date | null {
  return ms === null ? null : new Date(Number(ms));
}
