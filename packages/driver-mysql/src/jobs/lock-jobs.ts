import { toDriverError } from '../errors.js';
import { type MysqlTransaction, query } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';

export type FreeRow = MoveRow & { readonly id: string };

/**
 * Locks those of these jobs that no other transaction has, and returns them. Without SKIP LOCKED: under REPEATABLE READ, as
 * in a caller's transaction, MySQL locks the gap behind a job that it skips. Behind the newest job all enqueues would wait.
 *
 * @param ids In order.
 * @param redrives How often the jobs were redriven, as far as that matters.
 * @throws DriverError
 */
export async function lockJobs(
  tx: MysqlTransaction,
  sql: Statements,
  ids: readonly string[],
  redrives: number | null,
): Promise<readonly FreeRow[]> {
  const all = await lockNow(tx, sql, ids, redrives);
  if (all !== 'refused' || ids.length <= 1) return all === 'refused' ? [] : all;
  const free: FreeRow[] = [];
  for (const id of ids) {
    const one = await lockNow(tx, sql, [id], redrives);
    if (one !== 'refused') free.push(...one);
  }
  return free;
}

/** NOWAIT. A refusal undoes its statement alone. */
async function lockNow(
  tx: MysqlTransaction,
  sql: Statements,
  ids: readonly string[],
  redrives: number | null,
): Promise<readonly FreeRow[] | 'refused'> {
  const { places, values } = list(ids);
  try {
    return await query<FreeRow>(tx, sql.jobs.lockNow(places), [redrives, ...values]);
  } catch (error) {
    const cause = toDriverError(error);
    // MariaDB's error of NOWAIT is that of a lock wait.
    if (cause.code === 'LockNotAvailable' || cause.code === 'LockTimeout') return 'refused';
    throw cause;
  }
}
