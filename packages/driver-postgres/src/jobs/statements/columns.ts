/**
 * The columns of a job as a worker holds it. Times are milliseconds, which no session setting alters. The time that a job has waited is
 * computed in float8, which costs less than numeric, and cut to a whole number, whose text depends on no setting.
 */
export const JOB = `id, public_id, queue, kind, key, payload, priority, status, attempt, max_attempts, crashes, redrives, metadata, limits,
  extract(epoch FROM created_at) * 1000 AS created_at,
  floor(date_part('epoch', statement_timestamp() - available_at) * 1000)::bigint AS waited_ms`;
