import { alive } from './anchor.js';
import { ms } from './columns.js';
import type { Tables } from './tables.js';

/** Whether a job's newest run is on record with others. */
const OPEN = '(open.process_id IS NOT NULL AND COALESCE(last.started_at <= open.started_at, TRUE))';

/** A column of a job's newest run. */
const newest = (column: string): string => `IF(${OPEN}, open.${column}, last.${column})`;

/** Whether the newest run has not ended and its worker lives. The ? is the prefix of the workers' locks. */
const HELD = `(${newest('process_id')} IS NOT NULL AND (${OPEN} OR last.finished_at IS NULL)
               AND job.status IN ('new', 'in-progress') AND ${alive(newest('worker_id'))})`;

/** The job that `move` finds, and whether it was redriven as often as the ? says, if that matters. */
const MET = 'status, crashes, redrives, COALESCE(redrives = ?, TRUE) AS meant';

/** Operators' views of the jobs, and their changes to one. */
export const jobStatements = ({ job, run, openRun, worker }: Tables) => ({
  // The newest run says whether a live worker has the job: a held claim writes nothing into the row.
  list: (where: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
             CAST(job.payload AS CHAR) AS payload, job.priority, job.attempt, job.max_attempts, job.crashes, job.redrives,
             CAST(job.metadata AS CHAR) AS metadata, job.unique_key, CAST(job.output AS CHAR) AS output,
             CAST(job.error AS CHAR) AS error, job.created_by, job.started_by, job.finished_by,
             IF(${HELD}, 'in-progress', job.status) AS status,
             IF(${HELD}, ${newest('process_id')}, job.process_id) AS process_id,
             IF(${HELD}, worker.name, NULL) AS worker,
             CAST(IF(${OPEN} AND NOT last.process_id <=> open.process_id, NULL, last.progress) AS CHAR) AS progress,
             CAST(${ms('job.created_at')} AS CHAR) AS created_at,
             CAST(${ms('job.available_at')} AS CHAR) AS available_at,
             CAST(${ms(`IF(${HELD}, ${newest('started_at')}, job.started_at)`)} AS CHAR) AS started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS finished_at
      FROM ${job} AS job
      LEFT JOIN ${run} AS last ON last.job_id = job.id AND last.process_id = (
        SELECT process_id FROM ${run} AS newest WHERE newest.job_id = job.id ORDER BY started_at DESC LIMIT 1)
      LEFT JOIN ${openRun} AS open ON open.last_id >= job.id AND open.process_id = (
        SELECT process_id FROM ${openRun} AS newest
        WHERE newest.last_id >= job.id AND newest.first_id <= job.id AND JSON_CONTAINS(newest.job_ids, CAST(job.id AS CHAR))
        ORDER BY started_at DESC LIMIT 1)
      LEFT JOIN ${worker} AS worker ON worker.id = ${newest('worker_id')}
      WHERE ${where}
      ORDER BY job.id DESC
      LIMIT ?`,

  count: (where: string): string =>
    `SELECT status, COUNT(*) AS jobs FROM ${job} AS job WHERE ${where} GROUP BY status`,

  find: `SELECT CAST(id AS CHAR) AS id, ${MET} FROM ${job} WHERE public_id = ?`,

  lockOne: `SELECT ${MET} FROM ${job} WHERE id = ? FOR UPDATE SKIP LOCKED`,

  // For a job that nobody runs: a run that has not ended has crashed.
  countCrashes: `
      SELECT CAST((SELECT COUNT(*) FROM ${run} WHERE job_id = job.id AND COALESCE(outcome = 'reclaim', TRUE))
                + (SELECT COUNT(*) FROM ${openRun} AS open
                   WHERE last_id >= job.id AND first_id <= job.id AND JSON_CONTAINS(job_ids, CAST(job.id AS CHAR)) AND NOT EXISTS (
                     SELECT 1 FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)) AS CHAR) AS crashes
      FROM ${job} AS job WHERE id = ?`,

  move: `
      UPDATE ${job} SET
        attempt = IF(? = 'new', 0, attempt),
        crashes = ?,
        redrives = IF(? = 'new', redrives + 1, redrives),
        error = IF(? = 'new', NULL, error),
        due = IF(? = 'new', TRUE, due),
        available_at = IF(? = 'new', UTC_TIMESTAMP(6), available_at),
        finished_at = IF(? = 'new', NULL, UTC_TIMESTAMP(6)),
        finished_by = IF(? = 'new', NULL, ?),
        status = ?
      WHERE id = ?`,
});
