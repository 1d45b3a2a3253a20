import { type NewJob, newPublicId, storableJson, storableText } from '@rowlock/core/driver';
import type { Value } from '../query.js';
import type { NEW_JOBS } from './given-rows.js';
import { takenKey } from './taken-key.js';

/** A job that is not enqueued yet. */
export interface PendingJob {
  /** The job's position among those of the call. */
  readonly place: number;
  readonly publicId: string;
  /** The job's unique key in the form of the column. Null without a unique key. */
  readonly takenKey: string | null;
  readonly row: NewJobRow;
  /** The public ids of the jobs that must be settled first. */
  readonly after: readonly string[];
  /** Its own time, if it has to wait for one of these jobs. */
  readonly waits: Time | null;
  /** When it is of no use any more. Null: never. */
  readonly expires: Time | null;
}

type Time = Pick<NewJobRow, 'available_at' | 'delay'>;

export type NewJobRow = Parameters<typeof NEW_JOBS.rows>[0][number] & { readonly public_id: string };

/** @throws DriverError `InvalidInput` */
export function pendingJob(job: NewJob, place: number): PendingJob {
  const publicId = newPublicId();
  const row = {
    public_id: publicId,
    queue: storableText(job.queue),
    kind: storableText(job.kind),
    job_key: storableText(job.key),
    payload: storableJson(job.payload),
    priority: job.priority,
    ...timeOf(job.available),
    max_attempts: job.maxAttempts,
    unique_key: storableText(job.unique?.key ?? null),
    unique_scope: job.unique?.scope ?? null,
    metadata: storableJson(job.metadata),
    limits: storableText(job.limits),
    created_by: job.createdBy,
  };
  const { unique, after = [], expires } = job;
  return {
    ...{ place, publicId, takenKey: unique && takenKey(job.kind, unique.key), row, after, waits: null },
    expires: expires === undefined ? null : timeOf(expires),
  };
}

function timeOf(time: NewJob['available']): Time {
  return 'at' in time
    ? { available_at: time.at.getTime(), delay: null }
    : { available_at: null, delay: time.inMs };
}

/** The values in the order of `enqueueOne`. */
export function valuesOf(row: NewJobRow): readonly Value[] {
  const { public_id, queue, kind, job_key, payload, priority, available_at, delay } = row;
  const times = [available_at, delay, available_at, delay];
  const { max_attempts, unique_key, unique_scope, metadata, limits, created_by } = row;
  return [
    ...[public_id, queue, kind, job_key, payload, priority, ...times],
    ...[max_attempts, unique_key, unique_scope, metadata, limits, created_by],
  ];
}
