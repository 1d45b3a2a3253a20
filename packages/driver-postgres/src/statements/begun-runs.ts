import { alive } from './anchor.js';
import type { Tables } from './tables.js';

/** The newest runs of the workers. */
export const begunRunStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;
  const began =
    'started_at >= to_timestamp($2::float8 / 1000) AND ($3::float8 IS NULL OR started_at < to_timestamp($3::float8 / 1000))';
  return {
    // $2 and $3: milliseconds since 1970. $4: the most runs. The index alone says when the oldest of these began, so that of many workers no
    // more runs are read than are wanted. A record in its own row goes before that of the open run.
    begunRuns: `
      WITH ${alive(tables)}, oldest AS MATERIALIZED (
        SELECT min(started_at) AS began FROM (
          SELECT newest.started_at FROM ${worker} AS worker CROSS JOIN LATERAL (
            SELECT started_at FROM ${run} WHERE worker_id = worker.id AND ${began} ORDER BY started_at DESC LIMIT $4::bigint
          ) AS newest
          ORDER BY started_at DESC LIMIT $4::bigint
        ) AS newest
      ), begun AS MATERIALIZED (
        SELECT own.* FROM oldest CROSS JOIN ${worker} AS worker CROSS JOIN LATERAL (
          SELECT process_id, job_id, worker_id, jobs_before, started_at, finished_at, outcome, error, progress FROM ${run}
          WHERE worker_id = worker.id AND started_at >= oldest.began AND ${began}
        ) AS own
        UNION ALL
        SELECT process_id, has.id, worker_id, jobs_before, started_at, NULL, NULL, NULL, NULL
        FROM ${openRun} AS open CROSS JOIN unnest(job_ids) AS has (id)
        WHERE ${began}
          AND NOT EXISTS (SELECT FROM ${run} AS noted WHERE noted.job_id = has.id AND noted.process_id = open.process_id)
        ORDER BY started_at DESC LIMIT $4::bigint
      )
      SELECT json_build_object(
               'job', json_build_object(
                 'status', status, 'process_id', job.process_id, 'started_by', started_by,
                 'started_at', extract(epoch FROM job.started_at) * 1000,
                 'finished_at', extract(epoch FROM job.finished_at) * 1000),
               'public_id', public_id, 'kind', kind, 'queue', queue, 'key', key,
               'process_id', begun.process_id, 'worker', worker.name, 'host', worker.host,
               'alive', begun.worker_id IN (SELECT id FROM alive),
               'started_at', extract(epoch FROM begun.started_at) * 1000,
               'finished_at', extract(epoch FROM begun.finished_at) * 1000,
               'outcome', outcome, 'error', begun.error, 'progress', progress)::text AS answer
      FROM begun JOIN ${job} AS job ON job.id = begun.job_id AND jobs_before > job.created_at
      JOIN ${worker} AS worker ON worker.id = begun.worker_id
      ORDER BY begun.started_at DESC`,
  };
};
