import type { Job, JobError, NewJob } from './job.js';
import { ownIn, withOwn } from './metadata.js';

/** The error of a job whose time was over before a run began. */
export const EXPIRED: JobError = {
  code: 'ROWLOCK_EXPIRED',
  message: 'Its time was over before a run began, by the expires of its enqueue.',
};

/** The same as it is thrown: without a stack, as no code is at fault. */
export const expired: Error = Object.assign(new Error(EXPIRED.message), { code: EXPIRED.code, stack: '' });

/** The job, marked in its metadata if it has a time. So a claim reads no other table for jobs that have none. */
export function markExpiring(job: NewJob): NewJob {
  const { expires } = job;
  if (expires === undefined) return job;
  const after = 'at' in expires ? expires.at.toISOString() : expires.inMs;
  return { ...job, metadata: withOwn(job.metadata, { expires: after }) };
}

/** Whether a job has a time after which it is of no use. An operator's redrive ends that. */
export function mayExpire({ metadata, redrives }: Pick<Job, 'metadata' | 'redrives'>): boolean {
  return redrives === 0 && Object(ownIn(metadata)).expires !== undefined;
}

/** When a job is of no use any more. Null for one that does not expire. */
export function expiresAtOf(job: Pick<Job, 'metadata' | 'redrives' | 'createdAt'>): Date | null {
  if (!mayExpire(job)) return null;
  const { expires } = Object(ownIn(job.metadata));
  return new Date(typeof expires === 'number' ? job.createdAt.getTime() + expires : expires);
}
