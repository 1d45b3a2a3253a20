import type { JobError, Json, State } from '@rowlock/core';
import { type BegunRun, type RunOnRecord, type RunsQuestion, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { dateOrNull } from '../values/date.js';

/** A record, its job, and what the job's row says of its last run. */
interface RecordRow {
  [column: string]: unknown;
  public_id: string;
  kind: string;
  queue: string;
  key: string | null;
  status: State;
  last_process_id: string | null;
  started_by: string | null;
  job_started_at: number | null;
  job_finished_at: number | null;
  process_id: string | null;
  worker: string | null;
  host: string | null;
  alive: boolean;
  started_at: number | null;
  finished_at: number | null;
  outcome: RunOnRecord['outcome'];
  error: JobError | null;
  progress: Json;
}

/** The runs of a job, or those that began in a time. @throws DriverError */
export async function runs(
  on: PostgresTransaction,
  { sql: { insight: sql }, lockClass }: Context,
  question: RunsQuestion,
): Promise<readonly BegunRun[] | undefined> {
  if ('publicId' in question) {
    const rows = await query<RecordRow>(on, sql.jobRuns, [lockClass.unsigned, question.publicId]);
    const [first] = rows;
    return first && runsIn(first, rows);
  }
  const { from, before, limit } = question;
  const values = [lockClass.unsigned, from.getTime(), before?.getTime() ?? null, limit];
  const rows = await query<RecordRow>(on, sql.begunRuns, values);
  // A job that another run has completed has that run behind this one.
  return rows.flatMap((row) => runsIn(row, [row]).slice(0, 1));
}

function runsIn(row: RecordRow, records: readonly RecordRow[]): readonly BegunRun[] {
  const { public_id: publicId, kind, queue, key, status, last_process_id: runId, started_by } = row;
  const [startedAt, finishedAt] = [dateOrNull(row.job_started_at), dateOrNull(row.job_finished_at)];
  const last = { status, runId, startedAt, startedBy: started_by, finishedAt };
  return runsOf(last, records.flatMap(recordOf)).map((run) => ({ ...run, publicId, kind, queue, key }));
}

function recordOf(row: RecordRow): readonly RunOnRecord[] {
  const { process_id: runId, worker, host, alive: isAlive, outcome, error, progress } = row;
  const [startedAt, finishedAt] = [dateOrNull(row.started_at), dateOrNull(row.finished_at)];
  if (runId === null || startedAt === null) return [];
  return [{ runId, worker, host, isAlive, startedAt, finishedAt, outcome, error, progress }];
}
