import { apart, mayBeOfOne, type Reclaimed, type ReclaimScope } from '@rowlock/core/driver';
import type { NamedStatements } from '../connection/named-statements.js';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';

interface ReclaimRow {
  reclaimed: bigint;
  missing: readonly string[];
  own: readonly string[];
}

/**
 * Puts back the jobs of leases that are over, and of workers that are dead. If the database refuses that of some job, puts back
 * the others apart.
 *
 * @throws DriverError
 */
export async function reclaim(
  { sql, lockClass }: Context,
  on: PostgresTransaction,
  names: NamedStatements,
  { queues, dead, own: caller, except = [] }: ReclaimScope,
): Promise<Reclaimed> {
  const ended = caller?.ended ?? [];
  const values = [lockClass.unsigned, queues, dead, caller?.workerId ?? null, ended];
  const put = async (text: string, ...some: readonly unknown[]): Promise<Omit<Reclaimed, 'refused'>> => {
    const name = names.nameOf(text, queues.length + dead.length);
    const [row] = await query<ReclaimRow & { [column: string]: unknown }>(
      on,
      text,
      [...values, ...some],
      name,
    );
    const { reclaimed = 0n, missing = [], own = [] } = row ?? {};
    return { reclaimed: Number(reclaimed), missing, own };
  };
  if (except.length === 0) {
    try {
      return { ...(await put(sql.leases.reclaim)), refused: [] };
    } catch (error) {
      if (!mayBeOfOne(error)) throw error;
    }
  }
  const found = await query<{ id: bigint; public_id: string }>(on, sql.leases.findReclaimable, [
    ...[lockClass.unsigned, queues, dead],
    ...[except, ended],
  ]);
  const { answers, refused } = await apart(found, (some) =>
    put(
      sql.leases.reclaimSome,
      some.map(({ id }) => id),
    ),
  );
  return {
    ...(await put(sql.leases.reclaimSome, [])),
    reclaimed: answers.reduce((sum, { reclaimed }) => sum + reclaimed, 0),
    refused: refused.map(({ member, error }) => ({ member: member.public_id, error })),
  };
}
