import type { JobId } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import { recordsOf } from '../jobs/given-rows.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { idsOf } from '../values/job-ids.js';
import { list } from '../values/list.js';
import { writeOutCrashed } from './open-runs.js';

/** Ends these runs of these jobs as `reclaim`. @throws DriverError */
export async function endCrashed(
  on: MysqlTransaction,
  sql: Statements,
  runIds: readonly string[],
  jobs: readonly JobId[],
): Promise<void> {
  const crashed = new Set(runIds);
  const open = await query<{ process_id: string; job_ids: string }>(
    on,
    sql.runs.openRunsBetween,
    rangeOf(jobs),
  );
  for (const { process_id: runId, job_ids } of open)
    if (crashed.has(runId)) await writeOutCrashed(on, sql, { runId, jobs: idsOf(job_ids) });
  const { text, values } = recordsOf({ runId: '', jobs });
  const ids = list([...crashed]);
  await change(on, sql.runs.endCrashedRuns(text, ids.places), [...values, ...ids.values]);
}
