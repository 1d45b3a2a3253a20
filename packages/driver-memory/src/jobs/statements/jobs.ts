import { DriverError, UpdateRefusedError } from '@rowlock/core';
import {
  apply,
  type ClientEvent,
  isLegal,
  isSettled,
  type JobUpdate,
  type Moved,
  storableJson,
  type Updated,
} from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import type { RunRow } from '../../engine/rows.js';
import { moved, updated } from '../job-changes.js';
import { checkJob, type JobRow } from '../job-row.js';
import { holderOfUniqueKey } from '../unique-key.js';

export async function uniqueJobs(
  { database, tx }: Place,
  kind: string,
  keys: readonly string[],
): Promise<readonly (string | null)[]> {
  const found: (string | null)[] = [];
  for (const uniqueKey of keys) {
    const there = await holderOfUniqueKey(database.tables.jobs, tx, { id: 0n, kind, uniqueKey });
    found.push(there?.publicId ?? null);
  }
  return found;
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
  { column, operations, from, mostBytes, values = {} }: JobUpdate,
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
  const written = checkJob({ ...job, ...updated(job, values, database.clock.now()), [column]: changed });
  database.tables.jobs.index(row, 'queue', written.queue);
  tx.write(row, written);
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
