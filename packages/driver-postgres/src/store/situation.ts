import type { JobError, State } from '@rowlock/core';
import type {
  HeldJob,
  HoldingRun,
  NamedJob,
  RateNumbers,
  RateTime,
  Situation,
  SituationQuestion,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';

export interface RunRow {
  run_id: string;
  worker: string | null;
  since: number | null;
  alive: boolean;
}

interface HeldRow {
  named: NamedJob;
  run: RunRow;
}

interface SituationRow {
  public_id: string;
  queue: string;
  kind: string;
  key: string | null;
  limits: string;
  status: State;
  due: boolean;
  attempt: number;
  max_attempts: number;
  error: JobError | null;
  now: number;
  available_at: number;
  finished_at: number | null;
  run: RunRow | null;
  sibling: HeldRow | null;
  earlier: NamedJob | null;
  dependency: NamedJob | null;
  followed: readonly NamedJob[] | null;
  before: bigint;
  rates: readonly RateTimeRow[] | null;
}

/** The numbers are null unless they were set for all. */
export type RateTimeRow = { name: string; next_us: number } & { [Name in keyof RateNumbers]: number | null };

/** Finds what may be in the way of a job. @throws DriverError */
export async function situation(
  on: PostgresTransaction,
  { sql, lockClass }: Context,
  { publicId, after, most }: SituationQuestion,
): Promise<Situation | undefined> {
  const values = [lockClass.unsigned, publicId, after, most];
  const [row] = await query<SituationRow & { [column: string]: unknown }>(on, sql.situation, values);
  if (row === undefined) return undefined;
  const { queue, kind, key, limits, status, due, attempt, error, earlier, dependency } = row;
  return {
    now: new Date(row.now),
    publicId: row.public_id,
    queue,
    kind,
    key,
    limits,
    status,
    due,
    availableAt: new Date(row.available_at),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
    attempt,
    maxAttempts: row.max_attempts,
    error,
    run: row.run === null ? null : toRun(row.run),
    sibling: row.sibling === null ? null : toHeld(row.sibling),
    earlier,
    dependency,
    followed: { jobs: row.followed?.slice(0, 10) ?? [], more: (row.followed?.length ?? 0) > 10 },
    before: Number(row.before),
    rates: (row.rates ?? []).map(toRateTime),
  };
}

function toHeld({ named, run }: HeldRow): HeldJob {
  return { ...named, run: toRun(run) };
}

export function toRun({ run_id: runId, worker, since, alive }: RunRow): HoldingRun {
  return { runId, worker, since: since === null ? null : new Date(since), alive };
}

export function toRateTime({ name, next_us, starts, perMs, burst }: RateTimeRow): RateTime {
  const numbers =
    starts === null || perMs === null || burst === null ? null : { starts, perMs: Number(perMs), burst };
  return { name, nextInUs: next_us, numbers };
}
