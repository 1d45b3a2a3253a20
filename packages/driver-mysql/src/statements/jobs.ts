import { ms } from './columns.js';
import { HELD, held, leased, newest, newestRun, OPEN } from './in-progress.js';
import type { Tables } from './tables.js';

/** The columns that `move` reads, and whether the job was redriven as often as the ? says. A null matches any number. */
const MET = 'status, crashes, redrives, COALESCE(redrives = ?, TRUE) AS meant';

/** How held jobs change the count of a state. */
const MOVES = { new: '-jobs', 'in-progress': 'jobs' } as const;

/** The statements for operators: they read jobs, and move one. */
export const jobStatements = (tables: Tables) => {
  const { job, run, openRun } = tables;

  // The ids of the page are chosen first, and joined afterwards. Otherwise MySQL would join and sort all jobs: 13 s for a million.
  // The joined rows have no order: MySQL refuses to sort a row whose JSON is larger than the sort buffer.
  const list = (page: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
             CAST(job.payload AS CHAR) AS payload, job.priority, job.attempt, job.max_attempts, job.crashes, job.redrives,
             CAST(job.metadata AS CHAR) AS metadata, job.limits, job.unique_key, CAST(job.output AS CHAR) AS output,
             CAST(job.error AS CHAR) AS error, job.created_by, job.started_by, job.finished_by,
             IF(${HELD}, 'in-progress', job.status) AS status,
             IF(${HELD}, ${newest('process_id')}, job.process_id) AS process_id,
             IF(${HELD}, worker.name, NULL) AS worker,
             CAST(IF(${OPEN} AND NOT last.process_id <=> open.process_id, NULL, last.progress) AS CHAR) AS progress,
             CAST(${ms('job.created_at')} AS CHAR) AS created_at,
             CAST(${ms('job.available_at')} AS CHAR) AS available_at,
             CAST(${ms(`IF(${HELD}, ${newest('started_at')}, job.started_at)`)} AS CHAR) AS started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS finished_at
      FROM (${page} ORDER BY id DESC LIMIT ?) AS page STRAIGHT_JOIN ${job} AS job ON job.id = page.id
      ${newestRun(tables)}`;

  return {
    list: (where: string): string => list(`SELECT job.id FROM ${job} AS job WHERE ${where}`),

    // The condition is inside IF: servers would make a join of NOT IN, and read and sort all jobs for it.
    listNew: (where: string, workers: string): string =>
      list(`
        SELECT job.id FROM ${job} AS job
        WHERE job.status = 'new' AND IF(job.id IN (SELECT id FROM (${held(tables, where, workers)}) AS each_held), FALSE, TRUE)
          AND ${where}`),

    listInProgress: (where: string, workers: string): string =>
      list(`SELECT id FROM (${held(tables, where, workers)} UNION ${leased(tables, where)}) AS shown`),

    /**
     * Counts jobs by state. Held jobs are new in the table. The statement moves their count from new to in-progress.
     *
     * @param where Selects jobs by their rows. `others` is the same without the state.
     * @param moves The states whose counts the held jobs change.
     */
    count: (
      where: string,
      others: string,
      workers: string,
      moves: readonly (keyof typeof MOVES)[],
    ): string => `
      WITH held AS (SELECT COUNT(*) AS jobs FROM (${held(tables, others, workers)}) AS each_held)
      SELECT status, COUNT(*) AS jobs FROM ${job} AS job WHERE ${where} GROUP BY status
      ${moves.map((state) => `UNION ALL SELECT '${state}', ${MOVES[state]} FROM held`).join(' ')}`,

    countSettled: (where: string): string =>
      `SELECT status, COUNT(*) AS jobs FROM ${job} AS job WHERE ${where} GROUP BY status`,

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
