import { alive } from './anchor.js';
import type { Tables } from './tables.js';

/** In milliseconds since 1970, without what a Date has no room for. */
const AVAILABLE_MS = 'trunc(extract(epoch FROM available_at) * 1000)';

/** Whether it is what was available at $5: a redrive leaves no attempts, and another time. */
const MEANT = `($5::numeric IS NULL OR attempt > 0 OR ${AVAILABLE_MS} = $5)`;

/** What operators see of the jobs, and do with one. */
export const jobStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;
  return {
    // The newest run tells whether a live worker has the job: hold writes nothing into the row. The two lists of
    // states together are all of them; apart, each lets its partial index be used for a key.
    list: `
      WITH ${alive(tables)}
      SELECT job.id, public_id, queue, kind, key, payload, priority, attempt, max_attempts, crashes, metadata,
             unique_key, output, job.error, created_by, started_by, finished_by,
             CASE WHEN held THEN 'in-progress' ELSE status END AS status,
             CASE WHEN held THEN last.process_id ELSE job.process_id END AS process_id,
             CASE WHEN held THEN worker.name END AS worker,
             last.progress,
             extract(epoch FROM created_at) * 1000 AS created_at,
             extract(epoch FROM available_at) * 1000 AS available_at,
             extract(epoch FROM CASE WHEN held THEN last.started_at ELSE job.started_at END) * 1000 AS started_at,
             extract(epoch FROM job.finished_at) * 1000 AS finished_at
      FROM ${job} AS job
      LEFT JOIN LATERAL (
        SELECT process_id, worker_id, progress, started_at, finished_at FROM ${run} WHERE job_id = job.id
        UNION ALL
        SELECT process_id, worker_id, NULL, started_at, NULL FROM ${openRun}
        WHERE last_id >= job.id AND first_id <= job.id AND job.id = ANY(job_ids)
        ORDER BY started_at DESC, progress LIMIT 1
      ) AS last ON true
      LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
      CROSS JOIN LATERAL (
        SELECT coalesce(last.finished_at IS NULL AND status IN ('new', 'in-progress')
                        AND last.worker_id IN (SELECT id FROM alive), false) AS held
      ) AS state
      WHERE ($2::uuid IS NULL OR public_id = $2)
        AND ($3::text IS NULL OR queue = $3)
        AND ($4::text IS NULL OR kind = $4)
        AND ($5::text IS NULL OR key = $5)
        AND ($6::text IS NULL OR status = $6)
        AND ($7::bigint IS NULL OR job.id < $7)
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled'))
      ORDER BY job.id DESC
      LIMIT $8`,

    count: `
      SELECT status, count(*) AS jobs FROM ${job}
      WHERE ($1::text IS NULL OR queue = $1)
        AND ($2::text IS NULL OR kind = $2)
        AND ($3::text IS NULL OR key = $3)
        AND ($4::text IS NULL OR status = $4)
        AND (status IN ('new', 'in-progress') OR status IN ('complete', 'error', 'cancelled'))
      GROUP BY status`,

    // $2: where the event may start; $3: where it leads.
    move: `
      WITH free AS (
        SELECT id, status, ${MEANT} AS meant FROM ${job} WHERE public_id = $1 FOR NO KEY UPDATE SKIP LOCKED
      ), moved AS (
        UPDATE ${job} AS job SET
          status = $3::text,
          attempt = CASE $3::text WHEN 'new' THEN 0 ELSE job.attempt END,
          error = CASE $3::text WHEN 'new' THEN NULL ELSE job.error END,
          due = CASE $3::text WHEN 'new' THEN true ELSE due END,
          available_at = CASE $3::text WHEN 'new' THEN clock_timestamp() ELSE available_at END,
          finished_at = CASE $3::text WHEN 'new' THEN NULL ELSE clock_timestamp() END,
          finished_by = CASE $3::text WHEN 'new' THEN NULL ELSE $4 END
        FROM free
        WHERE job.id = free.id AND free.status = ANY($2) AND free.meant
        RETURNING job.id
      )
      SELECT status, ${AVAILABLE_MS} AS available_at, ${MEANT} AS meant,
             EXISTS (SELECT FROM free) AS free, EXISTS (SELECT FROM moved) AS moved
      FROM ${job} WHERE public_id = $1`,
  };
};
