import { ms } from './columns.js';
import { HELD, newest, newestRun } from './in-progress.js';
import { pauseConditions } from './pauses.js';
import { RUNS_NOW } from './siblings.js';
import type { Tables } from './tables.js';

/** The run that has a job, if it is in progress or `alive`. The ? is the prefix of the workers' locks. */
const RUN = `COALESCE(${newest('process_id')}, job.process_id) AS run_id, worker.name AS worker,
             CAST(${ms(newest('started_at'))} AS CHAR) AS since, CAST(${HELD} AS SIGNED) AS alive`;

/** The time of a rate, and the numbers that were set. */
export const RATE_TIME = `rate.name, CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), rate.next_at) AS CHAR) AS next_us,
             fixed.starts, CAST(fixed.per_ms AS CHAR) AS per_ms, fixed.burst`;

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

/** What may be in the way of a job. */
export const situationStatements = (tables: Tables) => {
  const { job, rate, setting } = tables;
  const { isKindOpen } = pauseConditions(tables);

  return {
    situation: `
      SELECT CAST(job.id AS CHAR) AS id, ${NAMED}, job.queue, job.\`key\`, job.priority, job.limits, job.due, job.attempt, job.max_attempts,
             CAST(job.error AS CHAR) AS error, CAST(${ms('UTC_TIMESTAMP(6)')} AS CHAR) AS now,
             CAST(${ms('job.available_at')} AS CHAR) AS available_at, CAST(${ms('job.finished_at')} AS CHAR) AS finished_at, ${RUN}
      FROM ${job} AS job
      ${newestRun(tables)}
      WHERE job.public_id = ?`,

    // The first available jobs of the key, as a claim locks them.
    siblingRuns: heldJobs(
      tables,
      `
        SELECT id FROM ${job} FORCE INDEX (job_entity)
        WHERE \`key\` = ? AND outstanding = 1 AND queue = ? AND ${RUNS_NOW} AND id <> ? ORDER BY id LIMIT 100`,
    ),

    named: `SELECT public_id, kind FROM ${job} WHERE id = ?`,

    // In the order of the claim, which walks past jobs of paused kinds.
    countBefore: `
      SELECT CAST(COALESCE(SUM(NOT ${HELD}), 0) AS CHAR) AS jobs
      FROM (
        SELECT place.id FROM ${job} AS place FORCE INDEX (job_claim)
        WHERE place.queue = ? AND place.claimable = 1 AND place.limits = ?
          AND (place.priority < ? OR (place.priority = ? AND place.id < ?))
          AND place.available_at <= UTC_TIMESTAMP(6) AND ${isKindOpen('place.kind')}
        ORDER BY place.priority, place.id LIMIT ?
      ) AS page STRAIGHT_JOIN ${job} AS job ON job.id = page.id
      ${newestRun(tables)}`,

    rateTimes: (names: string): string => `
      SELECT ${RATE_TIME}
      FROM ${rate} AS rate LEFT JOIN ${setting} AS fixed ON fixed.name = rate.name
      WHERE rate.name IN (${names})`,
  };
};
