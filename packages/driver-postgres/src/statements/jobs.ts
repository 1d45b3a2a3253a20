import { alive } from './anchor.js';
import { newestRun, running } from './in-progress.js';
import type { Tables } from './tables.js';
import { WITHIN } from './within.js';

/** Whether the job was redriven as often as $5 says. True when $5 is null. */
const isMeant = (redrives: string): string => `($5::integer IS NULL OR ${redrives} = $5::integer)`;

/** The statements for operators: they read jobs, and move one. */
export const jobStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;

  const listed =
    '($3::text IS NULL OR queue = $3) AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR key = $5)';
  const counted =
    '($2::text IS NULL OR queue = $2) AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR key = $4)';

  // The two lists of states together are all states. Written apart, each can use its partial index for a key.
  const list = (also: string, shown: string): string => `
      WITH ${alive(tables)}${also}
      SELECT json_build_object(
               'id', job.id::text, 'public_id', public_id, 'queue', queue, 'kind', kind, 'key', key, 'payload', payload,
               'priority', priority, 'attempt', attempt, 'max_attempts', max_attempts, 'crashes', crashes,
               'redrives', redrives, 'metadata', metadata, 'limits', limits, 'unique_key', unique_key, 'output', output,
               'error', job.error, 'created_by', created_by, 'started_by', started_by, 'finished_by', finished_by,
               'status', CASE WHEN held THEN 'in-progress' ELSE status END,
               'process_id', CASE WHEN held THEN last.process_id ELSE job.process_id END,
               'worker', CASE WHEN held THEN worker.name END,
               'progress', last.progress,
               'created_at', extract(epoch FROM created_at) * 1000,
               'available_at', extract(epoch FROM available_at) * 1000,
               'started_at', extract(epoch FROM CASE WHEN held THEN last.started_at ELSE job.started_at END) * 1000,
               'finished_at', extract(epoch FROM job.finished_at) * 1000)::text AS answer
      FROM ${job} AS job
      ${newestRun(tables)}
      LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
      WHERE ${listed}
        AND ($2::uuid[] IS NULL OR public_id = ANY($2::uuid[]))
        AND ${shown}
        AND ($7::bigint IS NULL OR job.id < $7::bigint) ${WITHIN}
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled'))
      ORDER BY job.id DESC
      LIMIT $8::bigint`;

  return {
    list: list('', '($6::text IS NULL OR status = $6)'),

    // $6 is 'new'.
    listNew: list('', 'status = $6::text AND NOT held'),

    // $6 is 'in-progress'. The condition is an array: for a join the planner would scan all jobs in the order of their ids.
    listInProgress: list(
      `, ${running(tables, listed)}`,
      `job.id = ANY(ARRAY(SELECT id FROM running UNION ALL SELECT id FROM ${job} WHERE status = $6::text)) AND (held OR status = $6::text)`,
    ),

    // Held jobs are new in the table. The statement moves their count from new to in-progress.
    count: `
      WITH ${alive(tables)}, ${running(tables, counted)}, held AS (
        SELECT count(*) AS jobs FROM ${job} AS job
        ${newestRun(tables)}
        WHERE job.id = ANY(ARRAY(SELECT id FROM running)) AND status = 'new' AND held AND ${counted}
      )
      SELECT json_build_array(status::text, count(*))::text AS answer FROM ${job}
      WHERE ${counted} AND ($5::text IS NULL OR status = $5)
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled')) ${WITHIN}
      GROUP BY status
      UNION ALL SELECT json_build_array('new', -jobs)::text FROM held WHERE coalesce($5 = 'new', true)
      UNION ALL SELECT json_build_array('in-progress', jobs)::text FROM held WHERE coalesce($5 = 'in-progress', true)`,

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

    // $2: the values of the assignment. $3: the states in which the job may be.
    update: (assignment: string, waits: boolean): string => `
      WITH free AS (
        SELECT id, status FROM ${job} WHERE public_id = $1::uuid ${WITHIN}
        FOR NO KEY UPDATE ${waits ? '' : 'SKIP LOCKED'}
      ), updated AS (
        UPDATE ${job} AS job SET ${assignment}
        FROM free WHERE job.id = free.id AND free.status = ANY($3::text[])
        RETURNING job.id
      )
      SELECT json_build_object(
               'status', coalesce(free.status, job.status), 'free', free.id IS NOT NULL, 'updated', updated.id IS NOT NULL)::text AS answer
      FROM ${job} AS job LEFT JOIN free ON free.id = job.id LEFT JOIN updated ON updated.id = job.id
      WHERE public_id = $1::uuid`,
  };
};
