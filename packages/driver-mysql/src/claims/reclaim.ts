import { apart, type Reclaimed, type ReclaimScope, type Refused } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { queueRows } from '../jobs/given-rows.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { change, type MysqlTransaction, query } from '../query.js';
import { inParts, list } from '../values/list.js';
import { leaveLimits } from './slots.js';

/** A leased job whose worker is missing or is the calling one, or whose lease is over. */
interface LeasedRow {
  readonly id: string;
  readonly public_id: string;
  readonly process_id: string;
  /** Null without a record. */
  readonly worker_id: string | null;
  /** 1 when the lease is over, whether the worker is alive or not. */
  readonly is_over: number | string;
  /** 1 when the worker has no session. */
  readonly is_missing: number | string;
}

/**
 * Puts back the jobs of leases that are over, and of workers that are dead. If the database refuses that of some job, puts back
 * the others apart.
 *
 * @throws DriverError
 */
export async function reclaim(
  { sql, lockPrefix }: Context,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  { queues, dead, own, except = [] }: ReclaimScope,
): Promise<Reclaimed> {
  if (queues.length === 0) return { reclaimed: 0, missing: [], own: [], refused: [] };
  const { text, values } = queueRows(queues);
  const leased = await query<LeasedRow>(on, sql.leases.reclaimable(text), [
    lockPrefix,
    ...values,
    own?.workerId ?? null,
    lockPrefix,
  ]);
  const missing = leased.flatMap((row) => (Number(row.is_missing) === 1 ? (row.worker_id ?? []) : []));
  const gone = new Set(missing.filter((id) => dead.includes(id)));
  const ended = new Set(own?.ended);
  const found = leased.filter(
    ({ public_id, process_id, worker_id, is_over }) =>
      (Number(is_over) === 1 || gone.has(worker_id ?? '') || ended.has(process_id)) &&
      !except.includes(public_id),
  );
  let reclaimed = 0;
  const refused: Refused<string>[] = [];
  for (const part of inParts(found)) {
    const put = await apart(part, (some) => inTransaction((tx) => putBack(sql, tx, some)));
    reclaimed += put.answers.reduce((sum, each) => sum + each, 0);
    refused.push(...put.refused.map(({ member, error }) => ({ member: member.public_id, error })));
  }
  const runIds = leased.flatMap((row) => (row.worker_id === own?.workerId ? row.process_id : []));
  return { reclaimed, missing: [...new Set(missing)], own: [...new Set(runIds)], refused };
}

/** Skips a job that its run is settling just now. */
async function putBack(
  sql: Context['sql'],
  tx: MysqlTransaction,
  leased: readonly LeasedRow[],
): Promise<number> {
  const runs = new Map(leased.map(({ id, process_id }) => [id, process_id]));
  const wanted = list([...runs.keys()]);
  const text = sql.leases.lockReclaimable(wanted.places);
  const rows = await query<Pick<LeasedRow, 'id' | 'process_id'>>(tx, text, wanted.values);
  const free = rows.filter(({ id, process_id }) => runs.get(id) === process_id);
  if (free.length === 0) return 0;
  const ids = list(free.map(({ id }) => id));
  await change(tx, sql.leases.reclaim(ids.places), ids.values);
  await leaveLimits(tx, sql, [...new Set(free.map(({ process_id }) => process_id))]);
  return free.length;
}
