import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** From so long on, in seconds: what waits for less is on its way. */
const LONG_S = 2;

/**
 * The sessions that wait for a lock on one of these tables which claims and enqueues conflict with. Later statements on the table
 * wait behind them.
 */
const WAITING = `
  SELECT activity.pid, min(extract(epoch FROM clock_timestamp() - activity.query_start))::integer AS seconds
  FROM pg_locks AS wanted
  JOIN pg_class ON pg_class.oid = wanted.relation
  JOIN pg_namespace AS schema ON schema.oid = pg_class.relnamespace
  JOIN pg_stat_activity AS activity ON activity.pid = wanted.pid
  WHERE wanted.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT wanted.granted
    AND wanted.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    AND schema.nspname = $1
  GROUP BY activity.pid
  HAVING coalesce(min(activity.query_start) <= clock_timestamp() - $2::float8 * interval '1 s', true)`;

/** Looks for a statement that waits for claims, as an ALTER of the job table does. */
export async function tableWaits(
  on: PostgresTransaction,
  schema: string,
  longS = LONG_S,
): Promise<readonly Fault[]> {
  const rows = await query<{ pid: number; seconds: number | null }>(on, WAITING, [schema, longS]);
  return rows.map(({ pid, seconds }) => ({
    severity: 'broken',
    what: `A statement of the session ${pid} has waited for ${seconds ?? '?'} s for a table of Rowlock.`,
    why: 'It waits until no handler holds a claim, and all enqueues and claims wait behind it.',
    remedy: `End it: SELECT pg_cancel_backend(${pid}). Pause the work before it is run again, and give it a lock_timeout of a few seconds.`,
  }));
}
