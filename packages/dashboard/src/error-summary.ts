import type { JobError } from '@rowlock/core';

/** What a list shows of an error: not where it was thrown, which is the longest part of it. */
export function errorSummary(error: JobError | null): JobError | null {
  if (error === null) return null;
  const { stack, ...summary } = error;
  return summary;
}
