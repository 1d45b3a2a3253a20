import type { Tables } from '../../schema/tables.js';

/** The end of a run, in the job and in its record. */
export const settleStatements = ({ job, run, openRun }: Tables) => ({
  // By primary key alone. The rows are locked already, so the statement never waits for a lock. Without STRAIGHT_JOIN the optimizer
  // would read, and lock, all rows of a small table.
  settle: (endings: string): string => `
      UPDATE ${endings}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = ending.id
      SET job.status = ending.status,
          job.process_id = ending.process_id,
          job.attempt = ending.attempt,
          job.crashes = ending.crashes,
          job.output = ending.output,
          job.error = ending.error,
          job.due = IF(ending.status = 'new', ending.delay = 0, job.due),
          job.available_at = IF(ending.status = 'new',
            UTC_TIMESTAMP(6) + INTERVAL ROUND(ending.delay * 1000) MICROSECOND, job.available_at),
          job.started_at = UTC_TIMESTAMP(6) - INTERVAL ROUND(ending.took * 1000) MICROSECOND,
          job.started_by = ending.settled_by,
          job.finished_at = IF(ending.status = 'new', NULL, UTC_TIMESTAMP(6)),
          job.finished_by = IF(ending.status = 'new', NULL, ending.settled_by)
      WHERE job.status = ?`,

  // The same for jobs that have ended for good, with equal settlements: one job, or those of a batch.
  settleAlike: (ids: string): string => `
      UPDATE ${job} FORCE INDEX (PRIMARY)
      SET process_id = ?, status = ?, attempt = ?, crashes = ?, output = ?, error = ?,
          started_at = UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND, started_by = ?,
          finished_at = UTC_TIMESTAMP(6), finished_by = ?
      WHERE id IN (${ids}) AND status = ?`,

  settledBy: (endings: string): string => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${endings}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = ending.id AND job.process_id = ending.process_id`,

  endRuns: (endings: string): string => `
      UPDATE ${endings}
      STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY) ON run.job_id = ending.id AND run.process_id = ending.process_id
      SET run.finished_at = UTC_TIMESTAMP(6), run.outcome = ending.event, run.error = ending.error`,

  endTogether: `
      DELETE FROM ${openRun} WHERE last_id = ? AND process_id = ? AND JSON_LENGTH(job_ids) = ?`,
});
