import type { Json, State } from '@rowlock/core';
import type { Facts, FactsQuestion, HoldingRun, JobFacts, NamedJob } from '@rowlock/core/driver';
import { storedError } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { dateOf, dateOrNull } from '../values/date.js';

/** The most jobs that are named for which a job waits. */
const MOST_NAMED = 10;

/** A job, or the time alone. */
interface FactsRow {
  [column: string]: unknown;
  now: number;
  more: boolean;
  id: bigint | null;
  public_id: string;
  queue: string;
  kind: string;
  key: string | null;
  priority: number;
  limits: string;
  status: State;
  due: boolean;
  available_ms: number;
  finished_ms: number | null;
  attempt: number;
  max_attempts: number;
  error: Json;
  run: RunRow | null;
  followed: readonly NamedJob[] | null;
  dependency: NamedJob | null;
  before: bigint;
}

export interface RunRow {
  run_id: string;
  worker: string | null;
  since: number | null;
  alive: boolean;
}

/** Jobs, and what may be in their way. @throws DriverError */
export async function facts(
  on: PostgresTransaction,
  { sql: { insight: sql }, lockClass }: Context,
  { after, ...which }: FactsQuestion,
): Promise<Facts> {
  const [text, values] =
    'queue' in which
      ? [sql.front, [which.queue, which.limit]]
      : [sql.named, [which.publicIds, which.mostBefore, JSON.stringify(which.served)]];
  const rows = await query<FactsRow>(on, text, [lockClass.unsigned, JSON.stringify(after), ...values]);
  const [first] = rows;
  return { now: new Date(first?.now ?? 0), jobs: rows.flatMap(toJobFacts), more: first?.more === true };
}

function toJobFacts(row: FactsRow): readonly JobFacts[] {
  const { id, queue, kind, key, priority, limits, status, due, attempt, error, dependency } = row;
  if (id === null) return [];
  const followed = row.followed ?? [];
  return [
    {
      id,
      publicId: row.public_id,
      queue,
      kind,
      key,
      priority,
      limits,
      status,
      due,
      availableAt: dateOf(row.available_ms),
      finishedAt: dateOrNull(row.finished_ms),
      attempt,
      maxAttempts: row.max_attempts,
      error: storedError(error),
      run: row.run && toRun(row.run),
      followed: { jobs: followed.slice(0, MOST_NAMED), more: followed.length > MOST_NAMED },
      dependency,
      before: Number(row.before),
    },
  ];
}

export function toRun({ run_id: runId, worker, since, alive }: RunRow): HoldingRun {
  return { runId, worker, since: dateOrNull(since), alive };
}
