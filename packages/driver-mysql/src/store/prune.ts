import type { JobId } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';
import { idRows } from './given-rows.js';

/** Deletes those of these jobs that were settled long enough ago, with their runs' records. @returns how many @throws DriverError */
export async function prune(
  tx: MysqlTransaction,
  sql: Statements,
  jobs: readonly JobId[],
  settledMs: number,
): Promise<number> {
  const wanted = list(jobs);
  const free = await query<{ id: string }>(tx, sql.lockSettled(wanted.places), [...wanted.values, settledMs]);
  if (free.length === 0) return 0;
  const { text, values } = idRows(free.map(({ id }) => id));
  await change(tx, sql.pruneRuns(text), values);
  await change(tx, sql.prune(text), values);
  return free.length;
}

/** Takes the turn to prune, unless another worker has it. @throws DriverError */
export async function takePruneTurn(
  on: MysqlTransaction,
  sql: Statements,
  workerId: string,
  forMs: number,
): Promise<boolean> {
  const others = await query(on, sql.findPruner, [workerId]);
  if (others.length > 0) return false;
  const { rows } = await change(on, sql.takePruneTurn, [forMs, workerId]);
  return rows > 0;
}
