import type { Tables } from '../../schema/tables.js';

/** The columns that `move` reads, and whether the job was redriven as often as the ? says. A null matches any number. */
const MET = 'status, crashes, redrives, COALESCE(redrives = ?, TRUE) AS meant';

/** The statements that move a job, or change it. */
export const jobStatements = (tables: Tables) => {
  const { job, run, openRun } = tables;

  return {
    states: (publicIds: string): string =>
      `SELECT public_id, status FROM ${job} WHERE public_id IN (${publicIds})`,

    find: (publicIds: string): string =>
      `SELECT CAST(id AS CHAR) AS id, public_id, ${MET} FROM ${job} WHERE public_id IN (${publicIds})`,

    lockNow: (ids: string): string => `
      SELECT CAST(id AS CHAR) AS id, ${MET} FROM ${job} FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) ORDER BY ${job}.id FOR UPDATE NOWAIT`,

    /** As `lockNow`, of one job. Waits for its lock. */
    lockOne: `
      SELECT CAST(id AS CHAR) AS id, ${MET} FROM ${job} FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE`,

    // The row is locked already.
    update: (assignments: string): string => `UPDATE ${job} SET ${assignments} WHERE id = ?`,

    // For jobs that no worker runs: a run that has not ended has crashed.
    countCrashes: (ids: string): string => `
      SELECT CAST(id AS CHAR) AS id,
             CAST((SELECT COUNT(*) FROM ${run} WHERE job_id = job.id AND jobs_before > job.created_at
                   AND COALESCE(outcome = 'reclaim', TRUE))
                + (SELECT COUNT(*) FROM ${openRun} AS open
                   WHERE last_id >= job.id AND first_id <= job.id AND JSON_CONTAINS(job_ids, CAST(job.id AS CHAR))
                     AND jobs_before > job.created_at AND NOT EXISTS (
                     SELECT 1 FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)) AS CHAR) AS crashes
      FROM ${job} AS job WHERE id IN (${ids})`,

    // By primary key alone, as a settlement. The rows are locked already.
    move: (moved: string): string => `
      UPDATE ${moved}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = moved.id
      SET job.attempt = IF(? = 'new', 0, job.attempt),
          job.crashes = moved.crashes,
          job.redrives = IF(? = 'new', job.redrives + 1, job.redrives),
          job.error = IF(? = 'new', NULL, job.error),
          job.due = IF(? = 'new', TRUE, job.due),
          job.available_at = IF(? = 'new', UTC_TIMESTAMP(6), job.available_at),
          job.finished_at = IF(? = 'new', NULL, UTC_TIMESTAMP(6)),
          job.finished_by = IF(? = 'new', NULL, ?),
          job.status = ?`,
  };
};
