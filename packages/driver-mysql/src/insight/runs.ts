import type { State } from '@rowlock/core';
import { type BegunRun, type RunOnRecord, type RunsQuestion, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { date } from './rows.js';

/** A record, its job, and what the job's row says of its last run. */
interface RecordRow {
  readonly public_id: string;
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
  readonly status: State;
  readonly last_process_id: string | null;
  readonly started_by: string | null;
  readonly job_started_at: string | null;
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

/** The latest time that the columns hold. */
const NEVER = Date.UTC(9999, 11, 31);

/**
 * The runs of a job, or those that began in a time. The latter by a statement for each worker, as MariaDB has no lateral join. Those
 * behind the first read no run that is older than what was found.
 *
 * @throws DriverError
 */
export async function runs(
  on: MysqlTransaction,
  { sql: { insight: sql }, lockPrefix }: Context,
  question: RunsQuestion,
): Promise<readonly BegunRun[] | undefined> {
  if ('publicId' in question) {
    const { publicId } = question;
    const rows = await query<RecordRow>(on, sql.jobRuns, [lockPrefix, publicId, publicId, publicId]);
    const [first] = rows;
    return first && runsIn(first, rows);
  }
  const { from, before, limit } = question;
  const workers = await query<{ id: string }>(on, sql.recordedWorkers);
  let found: readonly BegunRun[] = [];
  for (const { id } of workers) {
    const since = (found.length < limit ? undefined : found.at(-1))?.startedAt ?? from;
    const range = [id, since.getTime(), before?.getTime() ?? NEVER, limit];
    const rows = await query<RecordRow>(on, sql.begunRuns, [lockPrefix, ...range, ...range, id]);
    // A job that another run has completed has that run behind this one.
    found = [...found, ...rows.flatMap((row) => runsIn(row, [row]).slice(0, 1))]
      .sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
      .slice(0, limit);
  }
  return found;
}

function runsIn(row: RecordRow, records: readonly RecordRow[]): readonly BegunRun[] {
  const { public_id: publicId, kind, queue, key, status, last_process_id: runId, started_by } = row;
  const [startedAt, finishedAt] = [date(row.job_started_at), date(row.job_finished_at)];
  const last = { status, runId, startedAt, startedBy: started_by, finishedAt };
  return runsOf(last, records.flatMap(recordOf)).map((run) => ({ ...run, publicId, kind, queue, key }));
}

function recordOf(row: RecordRow): readonly RunOnRecord[] {
  const { process_id: runId, worker, host, alive, outcome } = row;
  const [startedAt, finishedAt] = [date(row.started_at), date(row.finished_at)];
  if (runId === null || startedAt === null) return [];
  const isAlive = Number(alive) === 1;
  const [error, progress] = [parsed(row.error), parsed(row.progress)];
  return [{ runId, worker, host, isAlive, startedAt, finishedAt, outcome, error, progress }];
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
