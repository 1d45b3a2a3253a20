const MS_EPOCH = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ";
/** A time, in milliseconds since 1970. */
export const ms = (column: string): string => `${MS_EPOCH}${column}) / 1000`;

/** The columns of a job as a worker holds it. Ids, JSON and times are text, which no setting of the connection alters. */
export const JOB = `CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
  CAST(job.payload AS CHAR) AS payload, job.priority, job.status, job.attempt, job.max_attempts, job.crashes, job.redrives,
  CAST(job.metadata AS CHAR) AS metadata, job.limits, CAST(${ms('job.created_at')} AS CHAR) AS created_at,
  CAST(TIMESTAMPDIFF(MICROSECOND, job.available_at, UTC_TIMESTAMP(6)) / 1000 AS CHAR) AS waited_ms`;
