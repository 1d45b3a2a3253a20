import type { Backlog, StatisticsReport, Tallied, Tally } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';

interface BacklogRow {
  queue: string;
  kind: string;
  due: bigint;
  paused: bigint;
  delayed: bigint;
  more: boolean;
  more_delayed: boolean;
  oldest_ms: number | null;
}

interface TallyRow {
  queue: string;
  kind: string;
  completed: bigint;
  failed: bigint;
  cancelled: bigint;
  retried: bigint;
  waits: readonly number[];
  runs: readonly number[];
  seconds: number;
}

/** The waiting jobs of all queues. @throws DriverError */
export async function backlog(
  on: PostgresTransaction,
  sql: Statements,
  most: number,
  inAll?: number,
): Promise<readonly Backlog[]> {
  const rows = await query<BacklogRow & { [column: string]: unknown }>(on, sql.backlog, [
    most,
    inAll ?? null,
  ]);
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

/** Adds to the sums of this minute, and writes what a worker has now. @throws DriverError */
export async function report(
  on: PostgresTransaction,
  sql: Statements,
  workerId: string,
  { tallies, running, runningIds }: StatisticsReport,
): Promise<void> {
  const own = [workerId, JSON.stringify(running), plainArray(runningIds)];
  if (tallies.length === 0) await query(on, sql.reportRunning, own);
  else await query(on, sql.report, [...own, JSON.stringify(tallies)]);
}

/** The sums of this minute and of so many before it. @throws DriverError */
export async function tallied(on: PostgresTransaction, sql: Statements, minutes: number): Promise<Tallied> {
  const rows = await query<TallyRow & { [column: string]: unknown }>(on, sql.tallied, [minutes]);
  const tallies: readonly Tally[] = rows.map(
    ({ queue, kind, completed, failed, cancelled, retried, waits, runs }) => ({
      queue,
      kind,
      completed: Number(completed),
      failed: Number(failed),
      cancelled: Number(cancelled),
      retried: Number(retried),
      waits,
      runs,
    }),
  );
  return { seconds: minutes * 60 + (rows[0]?.seconds ?? 0), tallies };
}
