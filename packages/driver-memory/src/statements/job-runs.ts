import { type RunOnRecord, type RunView, runsOf } from '@rowlock/core/driver';
import type { RunRow } from '../rows.js';
import { isAlive } from './anchor.js';
import type { Place } from './place.js';

export function jobRuns(place: Place, publicId: string): readonly RunView[] | undefined {
  const { database, tx } = place;
  const [found] = database.tables.jobs.findBy('publicId', publicId, tx);
  if (found === undefined) return undefined;
  const { id, status, runId, startedAt, startedBy, finishedAt } = found.value;
  const job = { status, runId, startedAt: date(startedAt), startedBy, finishedAt: date(finishedAt) };
  const records = database.tables.runs.findBy('jobId', id, tx).map(({ value }) => recordOf(place, value));
  return runsOf(job, records);
}

export function recordOf(
  place: Place,
  { runId, workerId, startedAt, finishedAt, outcome, error, progress }: RunRow,
): RunOnRecord {
  const [worker] = place.database.tables.workers.findBy('id', workerId, place.tx);
  return {
    runId,
    worker: worker?.value.info.name ?? null,
    host: worker?.value.info.host ?? null,
    isAlive: isAlive(place, workerId),
    startedAt: new Date(startedAt),
    finishedAt: date(finishedAt),
    outcome,
    error: error === null ? null : JSON.parse(error),
    progress: JSON.parse(progress),
  };
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
