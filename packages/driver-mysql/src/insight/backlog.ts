import type { Backlog } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';

/** The fewest jobs of a queue that are counted, where there are so many. */
const LEAST = 100;

interface DueRow {
  readonly kind: string;
  readonly jobs: string;
  readonly paused: string;
  readonly oldest_ms: string;
}

/** The waiting jobs of all queues. @throws DriverError */
export async function backlog(
  on: MysqlTransaction,
  { sql }: Context,
  wanted: number,
  inAll = Number.POSITIVE_INFINITY,
): Promise<readonly Backlog[]> {
  const queues = await query<{ queue: string }>(on, sql.insight.queues);
  const most = Math.min(wanted, Math.max(LEAST, Math.floor(inAll / queues.length)));
  const found: Backlog[] = [];
  for (const { queue } of queues) found.push(...(await backlogOf(on, sql, queue, most)));
  return found;
}

async function backlogOf(
  on: MysqlTransaction,
  sql: Context['sql'],
  queue: string,
  most: number,
): Promise<readonly Backlog[]> {
  const due = await query<DueRow>(on, sql.insight.dueOf, [queue, queue, most]);
  const delayed = await query<Pick<DueRow, 'kind' | 'jobs'>>(on, sql.insight.delayedOf, [queue, most]);
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
