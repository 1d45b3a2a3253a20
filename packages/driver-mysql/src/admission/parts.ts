import { type PartsPage, type PartsStretch, partsPage, type QueuePart } from '@rowlock/core/driver';
import { call, type MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';

/** The parts of these queues that have jobs with limits. @throws DriverError */
export async function limitedParts(
  on: MysqlTransaction,
  sql: Statements,
  stretch: PartsStretch,
): Promise<PartsPage> {
  const { queues, beyond, limit } = stretch;
  const values = [JSON.stringify(queues), beyond, limit, false];
  const rows = await call<QueuePart & { readonly paused: number | string }>(
    on,
    sql.limits.limitedParts,
    values,
  );
  return partsPage(
    rows.map((part) => ({ ...part, paused: Number(part.paused) === 1 })),
    stretch,
  );
}
