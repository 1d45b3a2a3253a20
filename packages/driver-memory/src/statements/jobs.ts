import { DriverError, type State, UpdateRefusedError } from '@rowlock/core';
import {
  apply,
  type ClientEvent,
  isLegal,
  isSettled,
  type JobFilter,
  type JobId,
  type JobPage,
  type JobUpdate,
  type Moved,
  type Page,
  storableJson,
  type Updated,
} from '@rowlock/core/driver';
import { moved } from '../job-changes.js';
import { checkJob, type JobRow } from '../job-row.js';
import { type LiveRun, type RunRow, toJobView } from '../rows.js';
import type { Found } from '../table.js';
import { holderOfUniqueKey } from '../unique-key.js';
import { isAlive } from './anchor.js';
import type { Place } from './place.js';

export function list({ database, tx }: Place, filter: JobFilter, { limit, before }: Page): JobPage {
  const found = matching({ database, tx }, filter, before);
  const page = found.toReversed().slice(0, limit);
  return {
    jobs: page.map(({ value }) => viewOf({ database, tx }, value)),
    next: found.length > limit ? (page.at(-1)?.value.id ?? null) : null,
  };
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

export function count({ database, tx }: Place, filter: JobFilter): Record<State, number> {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const { value } of matching({ database, tx }, filter))
    counts[shownStatus({ database, tx }, value)] += 1;
  return counts;
}

export function states({ database, tx }: Place, publicIds: readonly string[]): ReadonlyMap<string, State> {
  const { jobs } = database.tables;
  const found = publicIds.flatMap((publicId) => jobs.findBy('publicId', publicId, tx));
  return new Map(found.map(({ value: { publicId, status } }) => [publicId, status]));
}

function matching(
  { database, tx }: Place,
  { publicIds, queue, kind, key, status }: JobFilter,
  before: JobId | null = null,
): readonly Found<JobRow>[] {
  const { jobs } = database.tables;
  const matches = (job: JobRow): boolean =>
    (before === null || job.id < before) &&
    (queue === undefined || job.queue === queue) &&
    (kind === undefined || job.kind === kind) &&
    (key === undefined || job.key === key) &&
    (status === undefined || shownStatus({ database, tx }, job) === status);
  if (publicIds === undefined) return jobs.find(tx, matches);
  return publicIds
    .flatMap((publicId) => jobs.findBy('publicId', publicId, tx, matches))
    .sort((one, other) => Number(one.value.id - other.value.id));
}

/** Uses SKIP LOCKED. */
export async function move(
  { database, tx }: Place,
  event: ClientEvent,
  publicId: string,
  redrives?: number,
): Promise<Moved> {
  const { jobs } = database.tables;
  const [found] = jobs.findBy('publicId', publicId, tx);
  if (found === undefined) return { outcome: 'missing' };
  const { row, value: job } = found;
  const isFree = row.isFreeFor(tx);
  const isMeant = redrives === undefined || redrives === job.redrives;
  if (isFree && isMeant && isLegal(event, job.status)) {
    tx.take(row);
    const crashes = database.tables.runs.findBy('jobId', job.id, tx, hasCrashed).length;
    const after = moved(job, event, { crashes, now: database.clock.now() });
    const there = isSettled(after.status) ? undefined : await holderOfUniqueKey(jobs, tx, after);
    if (there !== undefined) throw takenKey(job, there);
    tx.write(row, after);
    return { outcome: 'moved' };
  }
  const isHeld = job.status === 'in-progress' || (!isFree && isLegal(event, job.status));
  return isHeld && isMeant && event === 'cancel'
    ? { outcome: 'running', redrives: job.redrives }
    : { outcome: 'illegal', status: job.status };
}

/** @param waits Whether to wait for the job's lock. */
export async function update(
  { database, tx }: Place,
  publicId: string,
  { column, operations, from, mostBytes }: JobUpdate,
  waits: boolean,
): Promise<Updated> {
  const [found] = database.tables.jobs.findBy('publicId', publicId, tx);
  if (found === undefined) return { outcome: 'missing' };
  const { row } = found;
  if (!waits && !row.isFreeFor(tx)) return { outcome: 'locked' };
  await tx.lock(row);
  const job = row.seenBy(tx);
  if (job === undefined) return { outcome: 'missing' };
  if (!from.includes(job.status)) return { outcome: 'illegal', status: job.status };
  const changed = storableJson(apply(operations, JSON.parse(job[column])));
  if (Buffer.byteLength(changed) > mostBytes)
    throw new UpdateRefusedError(operations.length - 1, 'too-large');
  tx.write(row, checkJob({ ...job, [column]: changed }));
  return { outcome: 'updated' };
}

/** For a job that no worker runs: a run that has not ended has crashed. */
function hasCrashed({ outcome }: RunRow): boolean {
  return outcome === null || outcome === 'reclaim';
}

function takenKey({ id, kind, uniqueKey }: JobRow, there: JobRow): DriverError {
  const cause = new Error(
    `The key ${JSON.stringify(uniqueKey)} of kind ${kind} is that of job ${there.id}, not ${id}.`,
  );
  return new DriverError('UniqueViolation', 'Another job has the unique key.', { cause });
}
