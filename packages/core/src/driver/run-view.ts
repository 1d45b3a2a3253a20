import type { JobError, JobView } from '../job/job.js';
import type { Json } from '../job/json.js';
import { isSettled, type SettlingEvent } from '../job/lifecycle.js';

/** A run of a job, as far as it is on record. */
export interface RunView {
  readonly runId: string;
  /** The name of its worker. Null where it is not on record, or its worker has been gone for a day. */
  readonly worker: string | null;
  /** The host of its worker. Null as the name, but the last run of a job keeps its host. */
  readonly host: string | null;
  readonly startedAt: Date;
  /** Null while it runs, and of a crash that nobody has met yet. */
  readonly finishedAt: Date | null;
  /** How it ended for this job. `running`: it goes on. `crashed`: its worker, or its connection, ended before it. */
  readonly outcome: SettlingEvent | 'running' | 'crashed';
  /** The error of a run that was retried, or that failed. */
  readonly error: JobError | null;
  readonly progress: Json;
}

/** A record as a database has it. */
export interface RunOnRecord
  extends Pick<RunView, 'runId' | 'worker' | 'host' | 'startedAt' | 'finishedAt' | 'error' | 'progress'> {
  /** The event by which it ended. A crash is `reclaim`, and so is a record without an end, unless its run goes on. */
  readonly outcome: SettlingEvent | 'reclaim' | null;
  readonly isAlive: boolean;
}

/** What the job's own row says of its last run. */
export type LastRun = Pick<JobView, 'status' | 'runId' | 'startedAt' | 'startedBy' | 'finishedAt'>;

/**
 * The runs of a job, oldest first. The record of the run that completed it has no end, and may be missing: the job's row
 * says so.
 */
export function runsOf(job: LastRun, records: readonly RunOnRecord[]): readonly RunView[] {
  const ordered = [...records].sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  const newest = ordered.at(-1);
  const runs = ordered.map(({ isAlive, ...record }): RunView => {
    const host = record.host ?? (record.runId === job.runId ? job.startedBy : null);
    if (isCompletion(job, record.runId))
      return { ...record, host, outcome: 'complete', finishedAt: job.finishedAt };
    const { outcome } = record;
    if (outcome !== null && outcome !== 'reclaim') return { ...record, host, outcome };
    const isRunning = outcome === null && record.runId === newest?.runId && isAlive && !isSettled(job.status);
    return { ...record, host, outcome: isRunning ? 'running' : 'crashed' };
  });
  return runs.some(({ runId }) => isCompletion(job, runId)) ? runs : [...runs, ...completionOf(job)];
}

function isCompletion({ status, runId }: LastRun, id: string): boolean {
  return status === 'complete' && runId === id;
}

function completionOf({ status, runId, startedAt, startedBy, finishedAt }: LastRun): readonly RunView[] {
  if (status !== 'complete' || runId === null || startedAt === null) return [];
  const unknown = { worker: null, error: null, progress: null };
  return [{ ...unknown, runId, host: startedBy, startedAt, finishedAt, outcome: 'complete' }];
}
