import type { Tables } from './tables.js';

/** The columns that decide how long a job is kept. Whole milliseconds, rounded down: a job never counts as older than it is. */
const ENTRY = `CAST(job.id AS CHAR) AS id, queue, status,
  CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, created_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS created_ms,
  CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, finished_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS settled_ms`;

/** The settled jobs, and the deletion of old ones. */
export const pruneStatements = ({ job, run, worker }: Tables) => ({
  // The order is by `job.id`: a bare `id` would be the text of the column above.
  history: `SELECT ${ENTRY} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id > ? ORDER BY job.id LIMIT ?`,

  historyBack: `SELECT ${ENTRY} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id < ? ORDER BY job.id DESC LIMIT ?`,

  // The primary key alone is used: an index for pruning would cost each settlement one more entry, and each delete locks on it.
  lockSettled: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status IN ('complete', 'error', 'cancelled')
        AND finished_at <= UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

  // A join. With IN the optimizer would scan a table of which many rows are deleted, in spite of a hint. It would lock all of its rows, and
  // so would wait for running claims.
  prune: (given: string): string => `
      DELETE job FROM ${given} STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = given.id`,

  pruneRuns: (given: string): string => `
      DELETE run FROM ${given} STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY) ON run.job_id = given.id`,

  findPruner: `SELECT 1 FROM ${worker} WHERE prunes_until > UTC_TIMESTAMP(6) AND id <> ? LIMIT 1`,

  takePruneTurn: `
      UPDATE ${worker} SET prunes_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND WHERE id = ?`,
});
