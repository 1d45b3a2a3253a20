import type { State } from '@rowlock/core';
import { type LastRun, type RunOnRecord, type RunView, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';

/** A record, and what the job's row says of its last run. */
export interface RunRow {
  readonly status: State;
  readonly last_process_id: string | null;
  readonly job_started_at: string | null;
  readonly started_by: string | null;
  readonly job_finished_at: string | null;
  readonly process_id: string | null;
  readonly worker: string | null;
  readonly host: string | null;
  readonly alive: 0 | 1 | '0' | '1';
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly outcome: RunOnRecord['outcome'];
  readonly error: string | null;
  readonly progress: string | null;
}

/** The runs of a job that are on record, oldest first. Undefined without the job. @throws DriverError */
export async function jobRuns(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  publicId: string,
): Promise<readonly RunView[] | undefined> {
  const rows = await query<RunRow>(on, sql.jobRuns, [lockPrefix, publicId, publicId, publicId]);
  const [first] = rows;
  if (first === undefined) return undefined;
  return runsOf(lastRunOf(first), rows.flatMap(recordOf));
}

export function lastRunOf({
  status,
  last_process_id,
  job_started_at,
  started_by,
  job_finished_at,
}: RunRow): LastRun {
  return {
    status,
    runId: last_process_id,
    startedAt: date(job_started_at),
    startedBy: started_by,
    finishedAt: date(job_finished_at),
  };
}

export function recordOf(row: RunRow): readonly RunOnRecord[] {
  const { process_id: runId, worker, host, outcome } = row;
  const startedAt = date(row.started_at);
  if (runId === null || startedAt === null) return [];
  return [
    {
      runId,
      worker,
      host,
      isAlive: Number(row.alive) === 1,
      startedAt,
      finishedAt: date(row.finished_at),
      outcome,
      error: row.error === null ? null : JSON.parse(row.error),
      progress: row.progress === null ? null : JSON.parse(row.progress),
    },
  ];
}

function date(ms: string | null): Date | null {
  return ms === null ? null : new Date(Number(ms));
}
