import type { Backlog, StatisticsReport, Tallied } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { Given } from './given.js';

/** The fewest jobs of a queue that are counted, where there are so many. */
const LEAST = 100;

interface DueRow {
  readonly kind: string;
  readonly jobs: string;
  readonly paused: string;
  readonly oldest_ms: string;
}

interface TallyRow {
  readonly queue: string;
  readonly kind: string;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly retried: string;
  readonly waits: string;
  readonly runs: string;
  readonly seconds: string;
}

const TALLIES = new Given('given', [
  ['lane_queue', 'VARCHAR(1000)'],
  ['lane_kind', 'VARCHAR(1000)'],
  ['add_completed', 'INT'],
  ['add_failed', 'INT'],
  ['add_cancelled', 'INT'],
  ['add_retried', 'INT'],
  ['add_waits', 'LONGTEXT'],
  ['add_runs', 'LONGTEXT'],
]);

/** The waiting jobs of all queues. @throws DriverError */
export async function backlog(
  on: MysqlTransaction,
  sql: Statements,
  wanted: number,
  inAll = Number.POSITIVE_INFINITY,
): Promise<readonly Backlog[]> {
  const queues = await query<{ queue: string }>(on, sql.queues);
  const most = Math.min(wanted, Math.max(LEAST, Math.floor(inAll / queues.length)));
  const found: Backlog[] = [];
  for (const { queue } of queues) found.push(...(await backlogOf(on, sql, queue, most)));
  return found;
}

async function backlogOf(
  on: MysqlTransaction,
  sql: Statements,
  queue: string,
  most: number,
): Promise<readonly Backlog[]> {
  const due = await query<DueRow>(on, sql.dueOf, [queue, queue, most]);
  const delayed = await query<Pick<DueRow, 'kind' | 'jobs'>>(on, sql.delayedOf, [queue, most]);
  const [more, moreDelayed] = [due, delayed].map(
    (rows) => rows.reduce((sum, { jobs }) => sum + Number(jobs), 0) >= most,
  );
  return [...new Set([...due, ...delayed].map(({ kind }) => kind))].map((kind) => {
    const own = due.find((row) => row.kind === kind);
    const later = delayed.find((row) => row.kind === kind);
    return {
      queue,
      kind,
      due: Number(own?.jobs ?? 0),
      paused: Number(own?.paused ?? 0),
      delayed: Number(later?.jobs ?? 0),
      more: more === true,
      moreDelayed: moreDelayed === true,
      oldestDueMs: own === undefined ? null : Number(own.oldest_ms),
    };
  });
}

/** Adds to the sums of this minute, and writes what a worker has now. @throws DriverError */
export async function report(
  on: MysqlTransaction,
  sql: Statements,
  workerId: string,
  { tallies, running, runningIds }: StatisticsReport,
): Promise<void> {
  await change(on, sql.reportRunning, [JSON.stringify(running), `[${runningIds.join(',')}]`, workerId]);
  if (tallies.length === 0) return;
  const given = TALLIES.rows(
    tallies.map((tally) => ({
      lane_queue: tally.queue,
      lane_kind: tally.kind,
      add_completed: tally.completed,
      add_failed: tally.failed,
      add_cancelled: tally.cancelled,
      add_retried: tally.retried,
      add_waits: JSON.stringify(tally.waits),
      add_runs: JSON.stringify(tally.runs),
    })),
  );
  await change(on, sql.addTallies(given.text), given.values);
}

/** The sums of this minute and of so many before it. @throws DriverError */
export async function tallied(on: MysqlTransaction, sql: Statements, minutes: number): Promise<Tallied> {
  const rows = await query<TallyRow>(on, sql.tallied, [minutes]);
  return {
    seconds: minutes * 60 + Number(rows[0]?.seconds ?? 0),
    tallies: rows.map((row) => ({
      queue: row.queue,
      kind: row.kind,
      completed: Number(row.completed),
      failed: Number(row.failed),
      cancelled: Number(row.cancelled),
      retried: Number(row.retried),
      waits: JSON.parse(row.waits),
      runs: JSON.parse(row.runs),
    })),
  };
}
