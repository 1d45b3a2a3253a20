import type { JobError, Json, State } from '@rowlock/core';
import { type LastRun, type RunOnRecord, type RunView, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { answers, type Queryable } from '../query.js';

/** A record, and what the job's row says of its last run. */
export interface RunRow {
  readonly job: {
    readonly status: State;
    readonly process_id: string | null;
    readonly started_at: number | null;
    readonly started_by: string | null;
    readonly finished_at: number | null;
  };
  readonly process_id: string | null;
  readonly worker: string | null;
  readonly host: string | null;
  readonly alive: boolean;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly outcome: RunOnRecord['outcome'];
  readonly error: JobError | null;
  readonly progress: Json;
}

/** The runs of a job that are on record, oldest first. Undefined without the job. @throws DriverError */
export async function jobRuns(
  on: Queryable,
  { sql, lockClass }: Context,
  publicId: string,
): Promise<readonly RunView[] | undefined> {
  const rows = await answers<RunRow>(on, sql.jobRuns, [String(lockClass.unsigned), publicId]);
  const [first] = rows;
  if (first === undefined) return undefined;
  return runsOf(lastRunOf(first), rows.flatMap(recordOf));
}

export function lastRunOf({ job }: RunRow): LastRun {
  const { status, process_id, started_at, started_by, finished_at } = job;
  return {
    status,
    runId: process_id,
    startedAt: date(started_at),
    startedBy: started_by,
    finishedAt: date(finished_at),
  };
}

export function recordOf(row: RunRow): readonly RunOnRecord[] {
  const { process_id: runId, started_at, worker, host, alive, outcome, error, progress } = row;
  const startedAt = date(started_at);
  if (runId === null || startedAt === null) return [];
  const finishedAt = date(row.finished_at);
  return [{ runId, worker, host, isAlive: alive, startedAt, finishedAt, outcome, error, progress }];
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
