import type { State } from '@rowlock/core';
import type { Front, FrontJob, FrontQuestion } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { type RunRow, toRun } from './situation.js';

/** A job, or the time alone. */
interface FrontRow {
  [column: string]: unknown;
  now: number;
  more: boolean;
  id: bigint | null;
  public_id: string;
  kind: string;
  key: string | null;
  priority: number;
  limits: string;
  status: State;
  due: boolean;
  available_at: number;
  run: RunRow | null;
  followed: string | null;
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
  const {
    id,
    public_id: publicId,
    kind,
    key,
    priority,
    limits,
    status,
    due,
    run,
    followed,
    dependency,
  } = row;
  if (id === null) return [];
  const availableAt = new Date(row.available_at);
  return [
    {
      id,
      publicId,
      kind,
      key,
      priority,
      limits,
      status,
      due,
      availableAt,
      run: run && toRun(run),
      followed,
      dependency,
    },
  ];
}
