import { writeOutCrashed } from '../claims/open-runs.js';
import type { Context } from '../context.js';
import { idRows } from '../jobs/given-rows.js';
import { change, type MysqlTransaction, query, read } from '../query.js';
import { idsOf } from '../values/job-ids.js';

/** Deletes the rows of workers that are long gone, and writes out their open runs. @throws DriverError */
export async function forgetWorkers(on: MysqlTransaction, { sql, lockPrefix }: Context): Promise<void> {
  const gone = await query<{ id: string }>(on, sql.workers.findGone, [lockPrefix]);
  if (gone.length > 0) {
    const { text, values } = idRows(gone.map(({ id }) => id));
    await change(on, sql.workers.forgetWorkers(text), [...values, lockPrefix]);
  }
  const left = await read<{ process_id: string; job_ids: string }>(on, sql.runs.findForgotten);
  for (const { process_id: runId, job_ids } of left)
    await writeOutCrashed(on, sql, { runId, jobs: idsOf(job_ids) });
}
