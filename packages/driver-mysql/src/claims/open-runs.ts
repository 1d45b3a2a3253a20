import type { JobId, RunRef } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import { recordsOf } from '../jobs/given-rows.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { idsOf } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';

// Runs of several jobs, or runs that share a transaction. Each has one row until its end.

/**
 * Ends a run of several jobs. Jobs that the run does not complete, or does not settle, get a record each.
 *
 * @param recorded Those of its jobs that do not end as complete.
 * @throws DriverError
 */
export async function endRun(
  on: MysqlTransaction,
  sql: Statements,
  run: RunRef,
  recorded: readonly JobId[],
): Promise<void> {
  if (recorded.length === 0 && (await endTogether(on, sql, run))) return;
  const complete = new Set(run.jobs);
  for (const id of recorded) complete.delete(id);
  await writeOut(on, sql, run, (jobs) => jobs.filter((id) => !complete.has(id)));
}

/** Ends a run that has these jobs and no others. @returns whether there was one */
async function endTogether(on: MysqlTransaction, sql: Statements, { runId, jobs }: RunRef): Promise<boolean> {
  const [, last] = rangeOf(jobs);
  const { rows } = await change(on, sql.settlements.endTogether, [last, runId, jobs.length]);
  return rows > 0;
}

/**
 * Ends a run, if it is one of several jobs, and leaves a record for each of the wanted ones.
 *
 * @param run Its jobs, or some of them.
 * @param wanted Selects some of its jobs; default: all.
 * @throws DriverError
 */
export async function writeOut(
  on: MysqlTransaction,
  sql: Statements,
  { runId, jobs }: RunRef,
  wanted: (jobs: readonly JobId[]) => readonly JobId[] | Promise<readonly JobId[]> = (all) => all,
): Promise<void> {
  const [first] = rangeOf(jobs);
  const found = await query<{ last_id: string; job_ids: string }>(on, sql.runs.findOpenRun, [first, runId]);
  for (const open of found) {
    const kept = await wanted(idsOf(open.job_ids));
    if (kept.length > 0) {
      const records = recordsOf({ runId, jobs: kept });
      await change(on, sql.runs.writeOut(records.text), [...records.values, open.last_id]);
    }
    // A concurrent call may have written the run out: its records then exist already.
    await change(on, sql.runs.endOpenRun, [open.last_id, runId]);
  }
}

/** The same for a run whose worker is gone. A completed job's row has the run's id, and needs no record. @throws DriverError */
export async function writeOutCrashed(on: MysqlTransaction, sql: Statements, run: RunRef): Promise<void> {
  await writeOut(on, sql, run, (jobs) => notCompleted(on, sql, run.runId, jobs));
}

async function notCompleted(
  on: MysqlTransaction,
  sql: Statements,
  runId: string,
  jobs: readonly JobId[],
): Promise<readonly JobId[]> {
  const found: JobId[] = [];
  for (const part of inParts(jobs)) {
    const wanted = list(part);
    const rows = await query<{ id: string }>(on, sql.runs.notCompleted(wanted.places), [
      ...wanted.values,
      runId,
    ]);
    found.push(...rows.map(({ id }) => BigInt(id)));
  }
  return found;
}
