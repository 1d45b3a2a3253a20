import { ms } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';
import { alive } from '../../workers/statements/anchor.js';

/** Whether a job's newest run shares one row with other jobs. */
export const OPEN = '(open.process_id IS NOT NULL AND COALESCE(last.started_at <= open.started_at, TRUE))';

/** A column of a job's newest run. */
export const newest = (column: string): string => `IF(${OPEN}, open.${column}, last.${column})`;

/**
 * Whether the newest run has not ended and its worker is alive. A hold writes nothing into the job's row. The ? is the prefix of the
 * workers' locks.
 */
export const HELD = `(${newest('process_id')} IS NOT NULL AND (${OPEN} OR last.finished_at IS NULL)
               AND job.status IN ('new', 'in-progress') AND ${alive(newest('worker_id'))})`;

/**
 * Joins a job's newest run and its worker. The newest open run is found without a sort. MySQL keeps the JSON of the sorted rows in the sort
 * buffer, and refuses a row that is larger.
 */
export const newestRun = ({ run, openRun, worker }: Tables): string => `
      LEFT JOIN ${run} AS last ON last.job_id = job.id AND last.process_id = (
        SELECT process_id FROM ${run} AS newest WHERE newest.job_id = job.id AND newest.jobs_before > job.created_at ORDER BY started_at DESC LIMIT 1)
      LEFT JOIN ${openRun} AS open ON open.last_id >= job.id AND open.process_id = (
        SELECT SUBSTR(MAX(CONCAT(newest.started_at, newest.process_id)), -36) FROM ${openRun} AS newest
        WHERE newest.last_id >= job.id AND newest.first_id <= job.id AND JSON_CONTAINS(newest.job_ids, CAST(job.id AS CHAR))
          AND newest.jobs_before > job.created_at)
      LEFT JOIN ${worker} AS worker ON worker.id = ${newest('worker_id')}`;

/**
 * Jobs that may be held though their status is new: those with a run of a live worker. The record of a run that has completed its job looks
 * like one of a run that goes on. So the records are read from a time on: see the columns of the worker.
 *
 * @param where Selects some of the jobs.
 * @param latest Selects the latest records of live workers from `run`.
 * @param workers A list of the live workers.
 */
const running = (
  { job, run, openRun, worker }: Tables,
  where: string,
  latest: string,
  workers: string,
): string => `
        SELECT job.id FROM ${run} AS run FORCE INDEX (run_started) STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = run.job_id
        WHERE ${latest} AND run.finished_at IS NULL AND job.status = 'new' AND ${where}
        UNION
        SELECT has.id FROM ${worker} AS worker STRAIGHT_JOIN JSON_TABLE(worker.running_ids, '$[*]' COLUMNS (id BIGINT PATH '$')) AS has
        WHERE worker.id IN (${workers})
        UNION
        SELECT has.id FROM ${openRun} AS open STRAIGHT_JOIN JSON_TABLE(open.job_ids, '$[*]' COLUMNS (id BIGINT PATH '$')) AS has
        WHERE open.worker_id IN (${workers})`;

/**
 * The held jobs whose status is new. The values are those of `latest` and of `where`, the workers twice, those of `where` again, and the
 * prefix of the locks.
 */
export const held = (tables: Tables, where: string, latest: string, workers: string): string => `
        SELECT job.id FROM (${running(tables, where, latest, workers)}) AS runs STRAIGHT_JOIN ${tables.job} AS job ON job.id = runs.id
        ${newestRun(tables)}
        WHERE ${where} AND job.status = 'new' AND ${HELD}`;

/** The leased jobs. The statement goes queue by queue, in the order of the index. */
export const leased = ({ job }: Tables, where: string): string => `
        SELECT job.id FROM (SELECT DISTINCT queue FROM ${job}) AS lane
        STRAIGHT_JOIN ${job} AS job FORCE INDEX (job_leased) ON job.queue = lane.queue AND job.leased = 1
        WHERE ${where}`;

/** The run that has a job, if it is in progress or `alive`. The ? is the prefix of the workers' locks. */
const RUN = `COALESCE(${newest('process_id')}, job.process_id) AS run_id, worker.name AS worker,
             CAST(${ms(newest('started_at'))} AS CHAR) AS since, CAST(${HELD} AS SIGNED) AS alive`;

export const NAMED = 'job.public_id, job.kind, job.status';

/**
 * Jobs and their runs. The ids are chosen first: MySQL refuses to sort a row whose JSON is larger than the sort buffer.
 *
 * @param others More columns of `job`.
 */
export const heldJobs = (tables: Tables, ids: string, others = ''): string => `
      SELECT CAST(job.id AS CHAR) AS id, ${NAMED}, ${others === '' ? '' : `${others}, `}${RUN}
      FROM (${ids}) AS page STRAIGHT_JOIN ${tables.job} AS job ON job.id = page.id
      ${newestRun(tables)}`;
