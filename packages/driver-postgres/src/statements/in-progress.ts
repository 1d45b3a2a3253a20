import type { Tables } from './tables.js';

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

/**
 * Jobs that may be held though their status is new: those with an unfinished run of a live worker. Needs `alive`.
 * Waiting jobs have no run. A run that has completed its job is unfinished in its record.
 * The planner is therefore free to scan either table first.
 * `due` and not `due` together are all of the jobs. Written apart, each condition can use its partial index.
 *
 * @param filter Selects some of the jobs.
 */
export const running = ({ job, run, openRun }: Tables, filter: string): string => `running AS MATERIALIZED (
        SELECT job.id FROM ${run} AS run JOIN ${job} AS job ON job.id = run.job_id
        WHERE run.finished_at IS NULL AND run.worker_id IN (SELECT id FROM alive)
          AND (job.status = 'new' AND job.due OR job.status = 'new' AND NOT job.due) AND ${filter}
        UNION
        SELECT has.id FROM ${openRun}, unnest(job_ids) AS has (id) WHERE worker_id IN (SELECT id FROM alive)
      )`;
