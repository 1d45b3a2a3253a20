import type { Tables } from '../../schema/tables.js';
import { WITHIN } from '../../values/within.js';

/** Whether the job was redriven as often as $5 says. True when $5 is null. */
const isMeant = (redrives: string): string => `($5::integer IS NULL OR ${redrives} = $5::integer)`;

/** The statements that move a job, or change it. */
export const jobStatements = (tables: Tables) => {
  const { job, run, openRun } = tables;

  return {
    // $1: the public ids of the jobs. $2: the states in which the event may start. $3: the state to which it leads. The locked row may be newer than the
    // statement's snapshot. The crashes are therefore counted only where the snapshot shows the job as settled: no run of it was live.
    move: `
      WITH free AS (
        SELECT id, status, redrives, ${isMeant('redrives')} AS meant FROM ${job}
        WHERE public_id = ANY($1::uuid[]) ${WITHIN}
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
      ), crashed AS (
        SELECT id, (SELECT count(*) FROM ${run}
                WHERE job_id = job.id AND jobs_before > job.created_at AND coalesce(outcome = 'reclaim', true))
             + (SELECT count(*) FROM ${openRun} AS open
                WHERE last_id >= job.id AND first_id <= job.id AND job.id = ANY(job_ids) AND jobs_before > job.created_at AND NOT EXISTS (
                  SELECT FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)) AS crashes
        FROM ${job} AS job WHERE public_id = ANY($1::uuid[]) AND status = ANY($2::text[])
      ), moved AS (
        UPDATE ${job} AS job SET
          status = $3::text,
          attempt = CASE $3::text WHEN 'new' THEN 0 ELSE job.attempt END,
          crashes = CASE $3::text WHEN 'new' THEN coalesce((SELECT crashed.crashes FROM crashed WHERE crashed.id = job.id), job.crashes) ELSE job.crashes END,
          redrives = CASE $3::text WHEN 'new' THEN job.redrives + 1 ELSE job.redrives END,
          error = CASE $3::text WHEN 'new' THEN NULL ELSE job.error END,
          due = CASE $3::text WHEN 'new' THEN true ELSE due END,
          available_at = CASE $3::text WHEN 'new' THEN clock_timestamp() ELSE available_at END,
          finished_at = CASE $3::text WHEN 'new' THEN NULL ELSE clock_timestamp() END,
          finished_by = CASE $3::text WHEN 'new' THEN NULL ELSE $4::text END
        FROM free
        WHERE job.id = free.id AND free.status = ANY($2::text[]) AND free.meant
        RETURNING job.id
      )
      SELECT json_build_object(
               'public_id', job.public_id, 'status', coalesce(free.status, job.status),
               'redrives', coalesce(free.redrives, job.redrives),
               'meant', coalesce(free.meant, ${isMeant('job.redrives')}),
               'free', free.id IS NOT NULL, 'moved', moved.id IS NOT NULL)::text AS answer
      FROM ${job} AS job LEFT JOIN free ON free.id = job.id LEFT JOIN moved ON moved.id = job.id
      WHERE public_id = ANY($1::uuid[])`,

    // $2: the states in which the job may be. Further ones are of the assignments.
    update: (assignments: string, waits: boolean): string => `
      WITH free AS (
        SELECT id, status FROM ${job} WHERE public_id = $1::uuid ${WITHIN}
        FOR NO KEY UPDATE ${waits ? '' : 'SKIP LOCKED'}
      ), updated AS (
        UPDATE ${job} AS job SET ${assignments}
        FROM free WHERE job.id = free.id AND free.status = ANY($2::text[])
        RETURNING job.id
      )
      SELECT json_build_object(
               'status', coalesce(free.status, job.status), 'free', free.id IS NOT NULL, 'updated', updated.id IS NOT NULL)::text AS answer
      FROM ${job} AS job LEFT JOIN free ON free.id = job.id LEFT JOIN updated ON updated.id = job.id
      WHERE public_id = $1::uuid`,
  };
};
