import type { Backlog } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';

interface BacklogRow {
  [column: string]: unknown;
  queue: string;
  kind: string;
  due: bigint;
  paused: bigint;
  delayed: bigint;
  more: boolean;
  more_delayed: boolean;
  oldest_ms: number | null;
}

/** The waiting jobs of all queues. @throws DriverError */
export async function backlog(
  on: PostgresTransaction,
  { sql: { insight: sql } }: Context,
  most: number,
  inAll?: number,
): Promise<readonly Backlog[]> {
  const rows = await query<BacklogRow>(on, sql.backlog, [most, inAll ?? null]);
  return rows.map(({ queue, kind, due, paused, delayed, more, more_delayed, oldest_ms }) => ({
    queue,
    kind,
    due: Number(due),
    paused: Number(paused),
    delayed: Number(delayed),
    more,
    moreDelayed: more_delayed,
    oldestDueMs: oldest_ms,
  }));
}
