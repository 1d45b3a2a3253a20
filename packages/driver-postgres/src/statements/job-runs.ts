import { alive } from './anchor.js';
import type { Tables } from './tables.js';
import { WITHIN } from './within.js';

/** The records of one job's runs. */
export const jobRunStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;
  return {
    // $2: the job's public id. A job without a record has one row, with nulls. A record in its own row goes before that of the open run.
    jobRuns: `
      WITH ${alive(tables)}, meant AS MATERIALIZED (
        SELECT id, status, process_id, created_at, started_at, started_by, finished_at FROM ${job}
        WHERE public_id = $2::uuid ${WITHIN}
      ), record AS (
        SELECT run.process_id, worker_id, run.started_at, run.finished_at, outcome, error, progress
        FROM meant JOIN ${run} AS run ON run.job_id = meant.id AND jobs_before > meant.created_at
        UNION ALL
        SELECT open.process_id, worker_id, open.started_at, NULL, NULL, NULL, NULL
        FROM meant JOIN ${openRun} AS open
          ON last_id >= meant.id AND first_id <= meant.id AND meant.id = ANY(job_ids) AND jobs_before > meant.created_at
        WHERE NOT EXISTS (SELECT FROM ${run} AS noted WHERE noted.job_id = meant.id AND noted.process_id = open.process_id)
      )
      SELECT json_build_object(
               'job', json_build_object(
                 'status', status, 'process_id', meant.process_id, 'started_by', started_by,
                 'started_at', extract(epoch FROM meant.started_at) * 1000,
                 'finished_at', extract(epoch FROM meant.finished_at) * 1000),
               'process_id', record.process_id, 'worker', worker.name, 'host', worker.host,
               'alive', record.worker_id IN (SELECT id FROM alive),
               'started_at', extract(epoch FROM record.started_at) * 1000,
               'finished_at', extract(epoch FROM record.finished_at) * 1000,
               'outcome', outcome, 'error', error, 'progress', progress)::text AS answer
      FROM meant LEFT JOIN record ON true
      LEFT JOIN ${worker} AS worker ON worker.id = record.worker_id`,
  };
};
