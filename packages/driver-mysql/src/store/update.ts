import { type JobUpdate, refusalIn, type Updated } from '@rowlock/core/driver';
import { stepsOf } from '../json/steps.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { MoveRow } from '../rows.js';
import { assignmentsOf } from '../statements/update-json.js';
import type { Statements } from '../statements.js';
import { raw } from '../values/fragment.js';
import type { InTransaction } from './in-transaction.js';
import { lockJobs } from './lock-jobs.js';

/** Changes one column of a job. @param waits Whether to wait for the job's lock. @throws DriverError, UpdateRefusedError */
export async function update(
  on: MysqlTransaction,
  sql: Statements,
  inTransaction: InTransaction,
  publicId: string,
  { column, operations, from, mostBytes }: JobUpdate,
  waits: boolean,
): Promise<Updated> {
  const [found] = await query<{ id: string }>(on, sql.find('?'), [null, publicId]);
  if (found === undefined) return { outcome: 'missing' };
  const assignments = assignmentsOf(raw(column), stepsOf(operations, mostBytes));
  // MySQL has no UPDATE that skips a locked row.
  return inTransaction(async (tx): Promise<Updated> => {
    const [job] = waits
      ? await query<MoveRow>(tx, sql.lockOne, [null, found.id])
      : await lockJobs(tx, sql, [found.id], null);
    if (job === undefined) return { outcome: waits ? 'missing' : 'locked' };
    if (!from.includes(job.status)) return { outcome: 'illegal', status: job.status };
    await change(tx, sql.update(assignments.text), [...assignments.values, found.id]);
    return { outcome: 'updated' };
  }).catch((error: unknown) => {
    throw refusalIn(error);
  });
}
