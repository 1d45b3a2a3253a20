import type { Tables } from '../../schema/tables.js';

/**
 * Joins a job's newest run, `last`, and whether a live worker has the job, `held`. A hold writes nothing into the job's row.
 * Needs `alive`.
 */
export const newestRun = ({ run, openRun }: Tables): string => `LEFT JOIN LATERAL (
        SELECT process_id, worker_id, progress, started_at, finished_at FROM ${run}
        WHERE job_id = job.id AND jobs_before > job.created_at
        UNION ALL
        SELECT process_id, worker_id, NULL, started_at, NULL FROM ${openRun}
        WHERE last_id >= job.id AND first_id <= job.id AND job.id = ANY(job_ids) AND jobs_before > job.created_at
        ORDER BY started_at DESC, progress LIMIT 1
      ) AS last ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(last.finished_at IS NULL AND status IN ('new', 'in-progress')
                        AND last.worker_id IN (SELECT id FROM alive), false) AS held
      ) AS state`;

const ms = (time: string): string => `extract(epoch FROM ${time}) * 1000`;

/** The run that has a job, as JSON: of a live worker, or by a lease. Needs `newestRun`. */
export const RUN = `CASE WHEN held OR job.status = 'in-progress' THEN json_build_object(
        'run_id', coalesce(last.process_id, job.process_id), 'worker', worker.name,
        'since', ${ms('last.started_at')}, 'alive', held) END`;

export const NAMED = `json_build_object('publicId', job.public_id, 'kind', job.kind)`;

/**
 * The most runs of a worker that are read. It is never reached while the worker reports. Without a bound, the planner would scan all
 * runs.
 */
const MOST_RUNS = 100_000;

/**
 * The jobs that are held though their status is new. Needs `alive`. The record of a run that has completed its job looks like one of a run
 * that goes on. So a worker's records are read from a time on, and others are those that it has reported: see the columns of `worker`.
 *
 * @param filter Selects some of the jobs.
 */
export const running = (tables: Tables, filter: string): string => {
  const { job, run, openRun, worker } = tables;
  return `running AS MATERIALIZED (
        SELECT job.id FROM ${job} AS job
        ${newestRun(tables)}
        WHERE status = 'new' AND ${filter} AND held AND id = ANY(ARRAY(
          SELECT latest.job_id FROM alive LEFT JOIN ${worker} AS worker ON worker.id = alive.id
          CROSS JOIN LATERAL (
            SELECT job_id FROM ${run}
            WHERE worker_id = alive.id AND started_at >= coalesce(worker.runs_since, '-infinity') AND finished_at IS NULL
            ORDER BY started_at DESC LIMIT ${MOST_RUNS}
          ) AS latest
          UNION
          SELECT unnest(running_ids) FROM ${worker} WHERE id IN (SELECT id FROM alive)
          UNION
          SELECT unnest(job_ids) FROM ${openRun} WHERE worker_id IN (SELECT id FROM alive)
        ))
      )`;
};
