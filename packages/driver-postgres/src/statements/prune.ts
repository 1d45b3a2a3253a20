import type { Tables } from './tables.js';

/** The values that decide how long a job is kept. Whole milliseconds, rounded down: a job never counts as older than it is. */
const ENTRY = `id, queue, status,
  floor(extract(epoch FROM statement_timestamp() - created_at) * 1000)::float8 AS created_ms,
  floor(extract(epoch FROM statement_timestamp() - finished_at) * 1000)::float8 AS settled_ms`;

/** The settled jobs, and the deletion of old ones. */
export const pruneStatements = ({ job, run, worker }: Tables) => ({
  history: `SELECT ${ENTRY} FROM ${job} WHERE id > $1 ORDER BY id LIMIT $2`,

  historyBack: `SELECT ${ENTRY} FROM ${job} WHERE id < $1 ORDER BY id DESC LIMIT $2`,

  // The primary key alone is used: an index for pruning would cost each settlement one more entry. The lock checks the
  // conditions again when the row is locked: the job may have been redriven, and settled anew.
  prune: `
      WITH free AS MATERIALIZED (
        SELECT id FROM ${job}
        WHERE id = ANY($1) AND status IN ('complete', 'error', 'cancelled')
          AND finished_at <= statement_timestamp() - $2 * interval '1 ms'
        ORDER BY id
        FOR UPDATE SKIP LOCKED
      ), pruned AS (
        DELETE FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM free)) RETURNING id
      ), forgotten AS (
        DELETE FROM ${run} WHERE job_id = ANY(ARRAY(SELECT id FROM pruned))
      )
      SELECT count(*) AS pruned FROM pruned`,

  takePruneTurn: `
      UPDATE ${worker} SET prunes_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND NOT EXISTS (SELECT FROM ${worker} WHERE prunes_until > statement_timestamp() AND id <> $1)
      RETURNING id`,
});
