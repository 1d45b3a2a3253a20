import type { JobError, Json, State } from '@rowlock/core';
import {
  type CountPage,
  hasMembers,
  isSettled,
  type JobEntry,
  type JobFilter,
  type JobId,
  type JobPage,
  listed,
  type Page,
  type TimeRange,
} from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import { type LiveRun, type RunRow, toJobView } from '../../engine/rows.js';
import { isAlive } from '../../workers/statements/anchor.js';
import type { JobRow } from '../job-row.js';

export function list(place: Place, filter: JobFilter, page: Page): JobPage {
  const { jobs, next } = select(place, filter, page);
  return { jobs: jobs.map((job) => viewOf(place, job)), next };
}

export function listEntries(place: Place, filter: JobFilter, page: Page): JobPage<JobEntry> {
  const { jobs, next } = select(place, filter, page);
  const now = place.database.clock.now();
  const entries = jobs.map(({ id, publicId, queue, status, createdAt, finishedAt }) => ({
    ...{ id, publicId, queue, status },
    createdMs: Math.floor(now - createdAt),
    settledMs: finishedAt === null ? null : Math.floor(now - finishedAt),
  }));
  return { jobs: entries, next };
}

export function count(place: Place, filter: JobFilter, page: Page): CountPage {
  const { jobs, next } = select(place, filter, page);
  return { count: jobs.length, next: jobs.length < page.limit ? next : null };
}

interface Selected {
  readonly jobs: readonly JobRow[];
  readonly next: JobId | null;
}

/** There are indexes of public ids and of keys. */
function select(
  place: Place,
  filter: JobFilter,
  { limit, before, after = null, order, look }: Page,
): Selected {
  const rows = candidates(place, filter).filter(
    ({ id }) => (before === null || id < before) && (after === null || id > after),
  );
  if (order !== 'oldest') rows.reverse();
  const looked = filter.publicIds === undefined ? rows.slice(0, look) : rows;
  const found = looked.filter((job) => isMeant(place, filter, job));
  const jobs = found.slice(0, limit);
  const last = found.length > limit ? jobs.at(-1) : looked.length < rows.length ? looked.at(-1) : undefined;
  return { jobs, next: last?.id ?? null };
}

function candidates({ database: { tables }, tx }: Place, { publicIds, key }: JobFilter): JobRow[] {
  const { jobs } = tables;
  const found =
    publicIds !== undefined
      ? publicIds.flatMap((publicId) => jobs.findBy('publicId', publicId, tx))
      : key !== undefined
        ? jobs.findBy('key', key, tx)
        : jobs.find(tx, () => true);
  return found.map(({ value }) => value).sort((one, other) => Number(one.id - other.id));
}

function isMeant(place: Place, filter: JobFilter, job: JobRow): boolean {
  const { key, created, settled, due, error, payload } = filter;
  const [queues, kinds, states] = [listed(filter.queue), listed(filter.kind), listed(filter.status)];
  return (
    (queues === undefined || queues.includes(job.queue)) &&
    (kinds === undefined || kinds.includes(job.kind)) &&
    (key === undefined || job.key === key) &&
    (states === undefined || states.includes(shownStatus(place, job))) &&
    isWithin(created, job.createdAt) &&
    isWithin(settled, job.finishedAt) &&
    isWithin(due, job.availableAt) &&
    hasError(error, job) &&
    (payload === undefined || hasMembers(jsonOf(job), payload))
  );
}

function isWithin(range: TimeRange | undefined, ms: number | null): boolean {
  if (range === undefined) return true;
  const { from, before } = range;
  return (
    ms !== null &&
    (from === undefined || ms >= from.getTime()) &&
    (before === undefined || ms < before.getTime())
  );
}

function hasError(wanted: JobFilter['error'], job: JobRow): boolean {
  if (wanted === undefined) return true;
  if (job.error === null) return false;
  const { code, message }: JobError = JSON.parse(job.error);
  return (wanted.code ?? code) === code && message.includes(wanted.text ?? '');
}

function jsonOf(job: JobRow): Json {
  return JSON.parse(job.payload);
}

function viewOf(place: Place, job: JobRow) {
  const last = newestRun(place, job);
  return toJobView(job, liveRun(place, job, last), last?.progress ?? 'null');
}

function shownStatus(place: Place, job: JobRow): State {
  return liveRun(place, job, newestRun(place, job)) === undefined ? job.status : 'in-progress';
}

function newestRun({ database, tx }: Place, job: JobRow): RunRow | undefined {
  return database.tables.runs.findBy('jobId', job.id, tx).at(-1)?.value;
}

/** The newest run shows whether a live worker has the job. A held claim writes nothing into the row. */
function liveRun({ database, tx }: Place, job: JobRow, last: RunRow | undefined): LiveRun | undefined {
  if (last === undefined) return undefined;
  const { runId, workerId, startedAt, finishedAt } = last;
  if (finishedAt !== null || isSettled(job.status) || !isAlive({ database, tx }, workerId)) return undefined;
  const [worker] = database.tables.workers.findBy('id', workerId, tx);
  return { runId, worker: worker?.value.info.name ?? null, startedAt };
}
