import { type BegunRun, type BegunRunsQuestion, runsOf } from '@rowlock/core/driver';
import type { RunRow } from '../rows.js';
import { recordOf } from './job-runs.js';
import type { Place } from './place.js';

export function begunRuns(place: Place, { from, before, limit }: BegunRunsQuestion): readonly BegunRun[] {
  const { database, tx } = place;
  const end = before?.getTime() ?? Number.POSITIVE_INFINITY;
  return database.tables.runs
    .find(tx, ({ startedAt }) => startedAt >= from.getTime() && startedAt < end)
    .map(({ value }) => value)
    .filter(({ workerId }) => database.tables.workers.findBy('id', workerId, tx).length > 0)
    .toSorted((one, other) => other.startedAt - one.startedAt)
    .slice(0, limit)
    .flatMap((record) => begunRun(place, record));
}

function begunRun(place: Place, record: RunRow): readonly BegunRun[] {
  const [job] = place.database.tables.jobs.findBy('id', record.jobId, place.tx);
  if (job === undefined) return [];
  const { publicId, kind, queue, key, status, runId, startedAt, startedBy, finishedAt } = job.value;
  const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  const last = { status, runId, startedAt: date(startedAt), startedBy, finishedAt: date(finishedAt) };
  return runsOf(last, [recordOf(place, record)])
    .slice(0, 1)
    .map((run) => ({ ...run, publicId, kind, queue, key }));
}
