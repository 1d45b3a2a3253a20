import type { State } from '@rowlock/core';
import type { Front, FrontJob, FrontQuestion, NamedJob } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { type RunRow, toRun } from './situation.js';

/** A job, or the time alone. */
interface FrontRow {
  [column: string]: unknown;
  now: number;
  more: boolean;
  id: bigint | null;
  named: NamedJob;
  key: string | null;
  priority: number;
  limits: string;
  status: State;
  due: boolean;
  available_at: number;
  run: RunRow | null;
  dependency: string | null;
}

/** The jobs at the front of a queue. @throws DriverError */
export async function front(
  on: PostgresTransaction,
  { sql, lockClass }: Context,
  { queue, limit, after }: FrontQuestion,
): Promise<Front> {
  const values = [lockClass.unsigned, queue, limit, JSON.stringify(after)];
  const rows = await query<FrontRow>(on, sql.front, values);
  const [first] = rows;
  return { now: new Date(first?.now ?? 0), jobs: rows.flatMap(toFrontJob), more: first?.more === true };
}

function toFrontJob(row: FrontRow): readonly FrontJob[] {
  const { id, named, key, priority, limits, status, due, run, dependency } = row;
  if (id === null) return [];
  const times = { availableAt: new Date(row.available_at) };
  return [{ ...named, ...times, id, key, priority, limits, status, due, run: run && toRun(run), dependency }];
}
