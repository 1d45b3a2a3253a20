/**
 * The columns of a job as a worker holds it. Times are milliseconds, which no session setting alters. available_at is computed in float8,
 * which costs less than numeric, and cut to a whole number: its text depends on no setting. A float8 is at most 0.0003 ms below the time.
 */
export const JOB = `id, public_id, queue, kind, key, payload, priority, status, attempt, max_attempts, crashes, redrives, metadata, limits,
  floor(date_part('epoch', available_at) * 1000 + 0.0005)::bigint AS available_at, extract(epoch FROM created_at) * 1000 AS created_at`;
