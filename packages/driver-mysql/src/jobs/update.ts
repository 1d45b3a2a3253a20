import { type JobUpdate, type NewJob, refusalIn, type Updated } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';
import { type Fragment, sql as fragment, joined, raw } from '../values/fragment.js';
import type { InTransaction } from './in-transaction.js';
import { stepsOf } from './json-steps.js';
import { lockJobs } from './lock-jobs.js';
import { assignmentsOf } from './statements/update-json.js';

/** Changes a job. @param waits Whether to wait for the job's lock. @throws DriverError, UpdateRefusedError */
export async function update(
  on: MysqlTransaction,
  sql: Statements,
  inTransaction: InTransaction,
  publicId: string,
  changes: JobUpdate,
  waits: boolean,
): Promise<Updated> {
  const [found] = await query<{ id: string }>(on, sql.jobs.find('?'), [null, publicId]);
  if (found === undefined) return { outcome: 'missing' };
  const assignments = assigned(changes);
  // MySQL has no UPDATE that skips a locked row.
  return inTransaction(async (tx): Promise<Updated> => {
    const [job] = waits
      ? await query<MoveRow>(tx, sql.jobs.lockOne, [null, found.id])
      : await lockJobs(tx, sql, [found.id], null);
    if (job === undefined) return { outcome: waits ? 'missing' : 'locked' };
    if (!changes.from.includes(job.status)) return { outcome: 'illegal', status: job.status };
    await change(tx, sql.jobs.update(assignments.text), [...assignments.values, found.id]);
    return { outcome: 'updated' };
  }).catch((error: unknown) => {
    throw refusalIn(error);
  });
}

/** An UPDATE assigns from left to right. */
function assigned({ column, operations, mostBytes, values = {} }: JobUpdate): Fragment {
  const { queue, priority, available, limits, latestMs, keepsWaiting = false } = values;
  const time = (from: NewJob['available']): Fragment =>
    unlessWaiting(atLatest(timeOf(from), latestMs), keepsWaiting);
  return joined([
    ...(operations.length === 0 ? [] : [assignmentsOf(raw(column), stepsOf(operations, mostBytes))]),
    ...(queue === undefined ? [] : [fragment`queue = ${queue}`]),
    ...(priority === undefined ? [] : [fragment`priority = ${priority}`]),
    ...(limits === undefined ? [] : [fragment`limits = ${limits}`]),
    ...(available === undefined
      ? []
      : [
          // First, as it reads the time that is there.
          fragment`due = (${time(available)} <= UTC_TIMESTAMP(6))`,
          fragment`available_at = ${time(available)}`,
        ]),
  ]);
}

function atLatest(time: Fragment, latestMs: number | undefined): Fragment {
  return latestMs === undefined
    ? time
    : fragment`LEAST(${time}, created_at + INTERVAL ROUND(${latestMs} * 1000) MICROSECOND)`;
}

function unlessWaiting(time: Fragment, keepsWaiting: boolean): Fragment {
  return keepsWaiting ? fragment`IF(available_at >= '9999-12-31', available_at, ${time})` : time;
}

function timeOf(available: NewJob['available']): Fragment {
  return 'at' in available
    ? fragment`'1970-01-01' + INTERVAL ROUND(${available.at.getTime()} * 1000) MICROSECOND`
    : fragment`UTC_TIMESTAMP(6) + INTERVAL ROUND(${available.inMs} * 1000) MICROSECOND`;
}
