import type { JobId, RunRef } from '@rowlock/core/driver';
import { recordsOf } from '../statements/given-rows.js';
import { rangeOf } from '../statements/job-ids.js';
import { change, inParts, list, type MysqlTransaction, query } from '../statements/query.js';
import type { Statements } from '../statements/statements.js';

// Runs of several jobs, or runs that share a transaction, each in one row for as long as it goes on.

/**
 * Ends a run that has these jobs and no others.
 *
 * @returns whether there was one
 * @throws DriverError
 */
export async function endTogether(
  on: MysqlTransaction,
  sql: Statements,
  { runId, jobs }: RunRef,
): Promise<boolean> {
  const [, last] = rangeOf(jobs);
  const { rows } = await change(on, sql.endTogether, [last, runId, jobs.length]);
  return rows > 0;
}

/**
 * Ends a run, if it is one of several jobs, and leaves a record for each of those that are wanted.
 *
 * @param run Its jobs, or some of them.
 * @param wanted Says which of its jobs.
 * @throws DriverError
 */
export async function writeOut(
  on: MysqlTransaction,
  sql: Statements,
  { runId, jobs }: RunRef,
  wanted: (jobs: readonly JobId[]) => readonly JobId[] | Promise<readonly JobId[]>,
): Promise<void> {
  const [first] = rangeOf(jobs);
  const found = await query<{ last_id: string; job_ids: string }>(on, sql.findOpenRun, [first, runId]);
  for (const open of found) {
    const kept = await wanted(idsOf(open.job_ids));
    if (kept.length > 0) {
      const records = recordsOf([{ runId, jobs: kept }]);
      await change(on, sql.writeOut(records.text), [...records.values, open.last_id]);
    }
    // Whoever else has just written it out finds the records there.
    await change(on, sql.endOpenRun, [open.last_id, runId]);
  }
}

/** Those of these jobs that the run has not completed: of the others their rows say so. @throws DriverError */
export async function notCompleted(
  on: MysqlTransaction,
  sql: Statements,
  { runId }: RunRef,
  jobs: readonly JobId[],
): Promise<readonly JobId[]> {
  const found: JobId[] = [];
  for (const part of inParts(jobs)) {
    const wanted = list(part);
    const rows = await query<{ id: string }>(on, sql.notCompleted(wanted.places), [...wanted.values, runId]);
    found.push(...rows.map(({ id }) => BigInt(id)));
  }
  return found;
}

/** The ids in a column, none of which a number of JavaScript's could be short of. */
export function idsOf(text: string): readonly JobId[] {
  return text.slice(1, -1).split(',').map(BigInt);
}
