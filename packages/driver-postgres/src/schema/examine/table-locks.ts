import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

/** From so long on, in seconds: what waits or locks for less is on its way. */
const LONG_S = 2;

const AGAIN = 'Then look again: other checks would have waited too, and were left out.';

interface Locking {
  readonly pid: number;
  readonly holds: boolean;
  readonly seconds: number | null;
}

/**
 * The sessions that have, or wait for, a lock on one of these tables which claims and enqueues conflict with. Statements on the table
 * wait behind them.
 */
const LOCKING = `
  SELECT pid, holds, extract(epoch FROM clock_timestamp() - since)::integer AS seconds
  FROM (
    SELECT activity.pid, bool_and(lock.granted) AS holds,
           CASE WHEN bool_and(lock.granted) THEN min(activity.xact_start) ELSE min(activity.query_start) END AS since
    FROM pg_locks AS lock
    JOIN pg_stat_activity AS activity ON activity.pid = lock.pid
    WHERE lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND lock.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      AND lock.relation = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name))
    GROUP BY activity.pid
  ) AS session
  WHERE coalesce(since <= clock_timestamp() - $2::float8 * interval '1 s', true)`;

/** Looks for a statement that waits for claims, as an ALTER of the job table does, and for a transaction that has locked a table. */
export async function tableLocks(
  on: PostgresTransaction,
  tables: Tables,
  longS = LONG_S,
): Promise<readonly Fault[]> {
  const rows = await query<Locking>(on, LOCKING, [Object.values(tables), longS]);
  return rows.map(({ pid, holds, seconds }) => ({
    severity: 'broken',
    ...(holds
      ? {
          what: `The session ${pid} has locked a table of Rowlock, by a transaction of ${seconds ?? '?'} s.`,
          why: 'All enqueues and claims wait until this transaction ends.',
          remedy: `End it: SELECT pg_terminate_backend(${pid}). ${AGAIN}`,
        }
      : {
          what: `A statement of the session ${pid} has waited for ${seconds ?? '?'} s for a table of Rowlock.`,
          why: 'It waits until no handler holds a claim, and all enqueues and claims wait behind it.',
          remedy: `End it: SELECT pg_cancel_backend(${pid}). Pause the work before it is run again, and give it a lock_timeout of a few seconds. ${AGAIN}`,
        }),
  }));
}
