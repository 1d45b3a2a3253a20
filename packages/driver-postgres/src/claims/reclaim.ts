import type { Reclaimed, ReclaimScope } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';

interface ReclaimRow {
  reclaimed: bigint;
  missing: readonly string[];
  own: readonly string[];
}

/** Puts back the jobs of leases that are over, and of workers that are dead. @throws DriverError */
export async function reclaim(
  { sql, lockClass }: Context,
  on: PostgresTransaction,
  { queues, dead, own: caller }: ReclaimScope,
): Promise<Reclaimed> {
  const [row] = await query<ReclaimRow & { [column: string]: unknown }>(on, sql.leases.reclaim, [
    lockClass.unsigned,
    queues,
    dead,
    caller?.workerId ?? null,
    caller?.ended ?? [],
  ]);
  const { reclaimed = 0n, missing = [], own = [] } = row ?? {};
  return { reclaimed: Number(reclaimed), missing, own };
}
