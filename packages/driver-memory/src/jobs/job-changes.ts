import { hostname } from 'node:os';
import type { State } from '@rowlock/core';
import {
  type ClientEvent,
  type JobValues,
  type NewJob,
  newPublicId,
  type Settlement,
  storableJson,
  storableText,
  TRANSITIONS,
} from '@rowlock/core/driver';
import { checkJob, isFollower, JOB_DEFAULTS, type JobRow } from './job-row.js';

// The row after each event.

/** The row without its id, which the table assigns. */
export function enqueued(job: NewJob, now: number): JobRow {
  const { available, unique, maxAttempts, createdBy, priority } = job;
  const availableAt = 'at' in available ? available.at.getTime() : now + available.inMs;
  return checkJob({
    ...JOB_DEFAULTS,
    id: 0n,
    publicId: newPublicId(),
    queue: storableText(job.queue),
    kind: storableText(job.kind),
    key: storableText(job.key),
    payload: storableJson(job.payload),
    priority,
    availableAt,
    due: availableAt <= now,
    maxAttempts,
    uniqueKey: storableText(unique?.key ?? null),
    uniqueScope: unique?.scope ?? JOB_DEFAULTS.uniqueScope,
    metadata: storableJson(job.metadata),
    limits: storableText(job.limits),
    createdAt: now,
    createdBy,
  });
}

export function settled(job: JobRow, settlement: Settlement, now: number): JobRow {
  const { runId, event, attempt, crashes, delayMs, tookMs, output, error, by } = settlement;
  const { to: status }: { to: State } = TRANSITIONS[event];
  const again = status === 'new';
  return checkJob({
    ...job,
    status,
    runId,
    attempt,
    crashes,
    output: storableJson(output),
    error: error === null ? null : storableJson(error),
    due: again ? delayMs === 0 : job.due,
    availableAt: again ? now + delayMs : job.availableAt,
    startedAt: now - tookMs,
    startedBy: by,
    finishedAt: again ? null : now,
    finishedBy: again ? null : by,
  });
}

/** The columns that an update writes whole. */
export function updated(job: JobRow, values: JobValues, now: number): Partial<JobRow> {
  const { queue, priority, available, limits, latestMs, keepsWaiting = false } = values;
  const latest = latestMs === undefined ? Number.POSITIVE_INFINITY : job.createdAt + latestMs;
  const wanted = available && ('at' in available ? available.at.getTime() : now + available.inMs);
  const isKept = wanted === undefined || (keepsWaiting && isFollower(job));
  const availableAt = isKept ? undefined : Math.min(latest, wanted);
  return {
    ...(queue !== undefined && { queue: storableText(queue) }),
    ...(priority !== undefined && { priority }),
    ...(limits !== undefined && { limits: storableText(limits) }),
    ...(availableAt !== undefined && { availableAt, due: availableAt <= now }),
  };
}

/** @param seen The crashes in the job's record, and the time. */
export function moved(job: JobRow, event: ClientEvent, seen: { crashes: number; now: number }): JobRow {
  const { crashes, now } = seen;
  const { to: status } = TRANSITIONS[event];
  return status === 'new'
    ? {
        ...job,
        status,
        attempt: 0,
        crashes,
        redrives: job.redrives + 1,
        error: null,
        due: true,
        availableAt: now,
        finishedAt: null,
        finishedBy: null,
      }
    : { ...job, status, finishedAt: now, finishedBy: hostname() };
}
