import type { JobView, State } from '@rowlock/core';
import type { SpreadsheetReport } from '../spreadsheets.js';
import { standIn } from './picture/stand-in.js';
import type { JobSummary, SpreadsheetStatus, SpreadsheetView } from './views.js';

/** A spreadsheet as the API shows it. */
export function spreadsheetView({ spreadsheet, createJob }: SpreadsheetReport): SpreadsheetView {
  const { id, title, columns, google, createdAt, returns, returnedAt } = spreadsheet;
  return {
    id,
    mark: standIn(id),
    title,
    columns,
    status: google === null ? STATUS[createJob?.status ?? 'new'] : 'ready',
    url: google?.url ?? null,
    notShared: google?.notShared ?? null,
    createdAt: createdAt.toISOString(),
    returns,
    returnedAt: returnedAt?.toISOString() ?? null,
  };
}

const STATUS: Readonly<Record<State, SpreadsheetStatus>> = {
  new: 'waiting',
  'in-progress': 'being-created',
  complete: 'ready',
  error: 'failed',
  cancelled: 'cancelled',
};

/** A job as the API shows it. */
export function jobSummary(job: JobView): JobSummary {
  const { publicId, key, kind, status, attempt, maxAttempts, worker, progress, output, error } = job;
  return {
    id: publicId,
    spreadsheet: key,
    kind,
    status,
    attempt,
    maxAttempts,
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    run: job.runId,
    worker,
    progress,
    output,
    error: error === null ? null : { code: error.code, message: error.message },
  };
}
