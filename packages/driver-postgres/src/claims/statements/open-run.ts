import type { Tables } from '../../schema/tables.js';

/** Whether an open run has one of these jobs. The jobs lie between the two ids. `also` is a condition on the job's id, `has.id`. */
export const has = (jobs: string, first: string, last: string, also = 'true'): string =>
  `last_id >= ${first} AND first_id <= ${last}
        AND EXISTS (SELECT FROM unnest(job_ids) AS has (id) WHERE has.id = ANY(${jobs}::bigint[]) AND ${also})`;

/** Writes open runs into the records of their jobs. A job that its run has completed needs no record: its row says so. */
export const writtenOut = ({ job, run, openRun }: Tables, condition: string): string => `open AS (
      DELETE FROM ${openRun} WHERE ${condition} RETURNING process_id, worker_id, jobs_before, started_at, job_ids
    ), written AS (
      INSERT INTO ${run} (process_id, job_id, worker_id, jobs_before, started_at)
      SELECT open.process_id, job.id, worker_id, jobs_before, open.started_at FROM open JOIN ${job} AS job ON job.id = ANY(job_ids)
      WHERE NOT (status = 'complete' AND job.process_id = open.process_id)
      ON CONFLICT DO NOTHING
    )`;

/**
 * Inserts ended records for an open run's jobs. `ended` ends the records that exist already. Progress may add a record meanwhile,
 * which this statement's snapshot does not show. ON CONFLICT handles that record.
 * The condition counts, because the planner would make a join of NOT EXISTS, and read the whole table for it.
 */
export const fresh = ({ run }: Tables, runId: string): string =>
  `(SELECT count(*) FROM ${run} AS noted WHERE noted.job_id = has.id AND noted.process_id = ${runId}) = 0`;
export const ENDED_MEANWHILE = `ON CONFLICT (job_id, process_id) DO UPDATE SET
        finished_at = excluded.finished_at, outcome = excluded.outcome, error = excluded.error`;
