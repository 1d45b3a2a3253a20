import type { EarlierRuns, JobId, RunStart, RunsStarted } from '@rowlock/core/driver';
import { createdMs, rangeOf } from '@rowlock/sql-drivers';
import { startsOf } from '../jobs/given-rows.js';
import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { idsOf } from '../values/job-ids.js';

export const NONE_EARLIER: RunsStarted = { earlier: [], unfinished: [] };

/** A job's earlier runs. A row without an id is an open run that may have some of the jobs. */
interface EarlierRow {
  readonly id: string | null;
  readonly earlier_runs: string;
  readonly crashes: string;
  /** A JSON list: the ids of the job's unfinished runs, and a null for each of the others. */
  readonly unfinished: string;
  readonly process_id: string;
  readonly job_ids: string;
  /** All its jobs were created before this time, in milliseconds since 1970. */
  readonly jobs_before: string;
}

/** Reads the records of earlier runs of these jobs. @throws DriverError */
export async function findEarlierRuns(
  on: MysqlTransaction,
  sql: Statements,
  runs: readonly RunStart[],
): Promise<RunsStarted> {
  const { text, values } = startsOf(runs);
  const created = new Map(runs.flatMap(({ jobs }) => jobs.map((job) => [job.id, createdMs(job)])));
  const range = rangeOf([...created.keys()]);
  const found = await query<EarlierRow>(on, sql.runs.findRuns(text), [...values, ...range]);
  const starting = new Set(runs.map(({ runId }) => runId));
  const open = openRuns(found, created).filter((runId) => !starting.has(runId));
  return {
    earlier: found.flatMap(earlierOf),
    unfinished: [...new Set([...open, ...found.flatMap(unfinishedOf)])],
  };
}

/** The ids of the open runs that have some of these jobs. @param created When each job was created */
function openRuns(found: readonly EarlierRow[], created: ReadonlyMap<JobId, number>): readonly string[] {
  const has = ({ job_ids, jobs_before }: EarlierRow): boolean =>
    idsOf(job_ids).some((id) => Number(jobs_before) > (created.get(id) ?? Number.POSITIVE_INFINITY));
  return found.filter((row) => row.id === null && has(row)).map(({ process_id }) => process_id);
}

function unfinishedOf({ unfinished }: EarlierRow): readonly string[] {
  const runIds: readonly (string | null)[] = JSON.parse(unfinished);
  return runIds.filter((runId) => runId !== null);
}

function earlierOf({ id, earlier_runs, crashes }: EarlierRow): readonly EarlierRuns[] {
  return id === null ? [] : [{ id: BigInt(id), earlierRuns: Number(earlier_runs), crashes: Number(crashes) }];
}
