import type { Job } from '@rowlock/core/driver';

/**
 * When a job was created, in milliseconds since 1970, rounded down. 0 for a time beyond what a Date can hold, as in a
 * row that was written by hand.
 */
export function createdMs({ createdAt }: Pick<Job, 'createdAt'>): number {
  return createdAt.getTime() || 0;
}
