import { alive } from './anchor.js';
import { ms } from './columns.js';
import type { Tables } from './tables.js';

/** The records of one job's runs. */
export const jobRunStatements = ({ job, run, openRun, worker }: Tables) => ({
  // The values are the prefix of the workers' locks, and the job's public id three times. A job without a record has one row, with nulls. A
  // record in its own row goes before that of the open run.
  jobRuns: `
      SELECT meant.status, meant.process_id AS last_process_id, meant.started_by,
             CAST(${ms('meant.started_at')} AS CHAR) AS job_started_at,
             CAST(${ms('meant.finished_at')} AS CHAR) AS job_finished_at,
             record.process_id, worker.name AS worker, worker.host, record.outcome, record.error, record.progress,
             IF(record.process_id IS NOT NULL AND ${alive('record.worker_id')}, 1, 0) AS alive,
             CAST(${ms('record.started_at')} AS CHAR) AS started_at,
             CAST(${ms('record.finished_at')} AS CHAR) AS finished_at
      FROM ${job} AS meant
      LEFT JOIN (
        SELECT run.process_id, run.worker_id, run.started_at, run.finished_at, run.outcome,
               CAST(run.error AS CHAR) AS error, CAST(run.progress AS CHAR) AS progress
        FROM ${job} AS job STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY) ON run.job_id = job.id AND run.jobs_before > job.created_at
        WHERE job.public_id = ?
        UNION ALL
        SELECT open.process_id, open.worker_id, open.started_at, NULL, NULL, NULL, NULL
        FROM ${job} AS job STRAIGHT_JOIN ${openRun} AS open
          ON open.last_id >= job.id AND open.first_id <= job.id AND JSON_CONTAINS(open.job_ids, CAST(job.id AS CHAR))
            AND open.jobs_before > job.created_at
        WHERE job.public_id = ? AND NOT EXISTS (
          SELECT 1 FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)
      ) AS record ON TRUE
      LEFT JOIN ${worker} AS worker ON worker.id = record.worker_id
      WHERE meant.public_id = ?`,
});
