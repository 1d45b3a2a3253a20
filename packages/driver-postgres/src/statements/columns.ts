/** The columns of a job as a worker holds it. Times are milliseconds, which no session setting alters. */
export const JOB = `id, public_id, queue, kind, key, payload, priority, status, attempt, max_attempts, crashes, redrives, metadata, limits,
  extract(epoch FROM available_at) * 1000 AS available_at, extract(epoch FROM created_at) * 1000 AS created_at`;
