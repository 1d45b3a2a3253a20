import type { JobError, State } from '@rowlock/core';
import { despiteDeadlocks, type Expiry, MOST_EXPIRED } from '@rowlock/core/driver';
import { EXPIRIES, idRows, PUBLIC_IDS } from '../jobs/given-rows.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { inPackets } from '../jobs/packets.js';
import type { PendingJob } from '../jobs/pending-job.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { inOrder } from '../values/job-ids.js';
import { list } from '../values/list.js';

/** Notes when these jobs are of no use any more. @throws DriverError */
export async function noteExpiries(
  sql: Statements,
  on: MysqlTransaction,
  pending: readonly PendingJob[],
): Promise<void> {
  const times = pending.flatMap(({ publicId, expires }) =>
    expires === null ? [] : [{ public_id: publicId, ...expires }],
  );
  for (const packet of inPackets(times)) {
    const { text, values } = EXPIRIES.rows(packet);
    await change(on, sql.expiry.note(text), values);
  }
}

export function expiryOf(on: MysqlTransaction, sql: Statements, inTransaction: InTransaction): Expiry {
  return {
    async over(look) {
      const ids = 'of' in look ? look.of : look.except;
      const { places, values } = ids.length === 0 ? { places: '', values: [] } : list(ids);
      if ('of' in look && ids.length === 0) return [];
      const rows = await ('of' in look
        ? query<{ public_id: string }>(on, sql.expiry.overOf(places), values)
        : query<{ public_id: string }>(on, sql.expiry.over(places), [...values, MOST_EXPIRED]));
      return rows.map(({ public_id }) => public_id);
    },
    cancel: (publicIds, error, by) =>
      despiteDeadlocks(() => inTransaction((tx) => cancel(sql, tx, publicIds, error, by))),
  };
}

interface FreeRow {
  readonly id: string;
  readonly public_id: string;
  readonly status: State;
  readonly redrives: number | string;
}

async function cancel(
  sql: Statements,
  tx: MysqlTransaction,
  publicIds: readonly string[],
  error: JobError,
  by: string,
): Promise<readonly string[]> {
  const wanted = list(publicIds);
  const text = sql.followers.findFollowers(wanted.places);
  const found = await query<{ id: string; public_id: string }>(tx, text, wanted.values);
  const ids = list(inOrder(found.map(({ id }) => BigInt(id))).map(String));
  const free =
    found.length === 0 ? [] : await query<FreeRow>(tx, sql.expiry.lockExpired(ids.places), ids.values);
  const waiting = free.filter(({ status, redrives }) => status === 'new' && Number(redrives) === 0);
  if (waiting.length > 0) {
    const given = idRows(waiting.map(({ id }) => id));
    await change(tx, sql.expiry.cancelExpired(given.text), [...given.values, JSON.stringify(error), by]);
  }
  const known = new Set(found.map(({ public_id }) => public_id));
  const over = [
    ...free.filter(({ status }) => status !== 'in-progress').map(({ public_id }) => public_id),
    ...publicIds.filter((publicId) => !known.has(publicId)),
  ];
  if (over.length > 0) {
    const given = PUBLIC_IDS.rows(over.map((public_id) => ({ public_id })));
    await change(tx, sql.expiry.forgetExpired(given.text), given.values);
  }
  return waiting.map(({ public_id }) => public_id);
}
