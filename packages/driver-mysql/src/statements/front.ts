import { ms } from './columns.js';
import { held } from './in-progress.js';
import { RUNS_NOW } from './siblings.js';
import { heldJobs, NAMED } from './situation.js';
import type { Tables } from './tables.js';

/** The jobs at the front of a queue. */
export const frontStatements = (tables: Tables) => {
  const { job, follower } = tables;
  const id = 'CAST(job.id AS CHAR) AS id';
  const place = `job.\`key\`, job.priority, job.limits, job.due, CAST(${ms('job.available_at')} AS CHAR) AS available_at`;

  return {
    now: `SELECT CAST(${ms('UTC_TIMESTAMP(6)')} AS CHAR) AS now`,

    frontLeased: `SELECT ${id} FROM ${job} AS job FORCE INDEX (job_leased) WHERE queue = ? AND leased = 1 ORDER BY job.id LIMIT ?`,

    /** @param parts How many parts there are. The values of each are queue, limits, and a number of jobs. */
    frontDue: (parts: number): string =>
      Array.from(
        { length: parts },
        (_, place) => `
        (SELECT ${place} AS part, ${id}, priority FROM ${job} AS job FORCE INDEX (job_claim)
         WHERE queue = ? AND claimable = 1 AND limits = ? ORDER BY priority, job.id LIMIT ?)`,
      ).join(' UNION ALL '),

    frontDelayed: `
      SELECT ${id}, CAST(${ms('available_at')} AS CHAR) AS at FROM ${job} AS job FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 ORDER BY available_at LIMIT ?`,

    /** The jobs of the queue that runs hold. The values are those of `held`. */
    frontHeld: (latest: string, workers: string): string =>
      `SELECT CAST(taken.id AS CHAR) AS id FROM (${held(tables, 'job.queue = ?', latest, workers)}) AS taken`,

    frontWaiting: (ids: string): string => `
      SELECT ${id}, ${NAMED}, ${place}, NULL AS run_id, NULL AS worker, NULL AS since, 0 AS alive
      FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id IN (${ids})`,

    frontRunning: (ids: string): string =>
      heldJobs(tables, `SELECT id FROM ${job} FORCE INDEX (PRIMARY) WHERE id IN (${ids})`, place),

    // For each key by itself: a key may have very many jobs. By all columns of the index: by the id alone the server sorts all jobs of the key,
    // as a key that comes from a JSON text is no constant for it.
    firstOfKeys: (given: string): string => `
      SELECT CAST((
        SELECT id FROM ${job} AS job FORCE INDEX (job_entity)
        WHERE job.\`key\` = given.entity AND outstanding = 1 AND queue = ? AND ${RUNS_NOW}
        ORDER BY job.\`key\`, outstanding, queue, job.id LIMIT 1
      ) AS CHAR) AS id FROM ${given}`,

    /** One of the outstanding jobs for which each of these waits. */
    firstFollowed: (publicIds: string): string => `
      SELECT edge.public_id, MIN(first.public_id) AS followed FROM ${follower} AS edge FORCE INDEX (PRIMARY)
      STRAIGHT_JOIN ${job} AS first FORCE INDEX (public_id) ON first.public_id = edge.after_id
      WHERE edge.public_id IN (${publicIds}) AND first.status IN ('new', 'in-progress') GROUP BY edge.public_id`,

    /** The first job of the same key and of these kinds, for each of these jobs. */
    firstOfKinds: (kinds: string, given: string): string => `
      SELECT CAST(given.id AS CHAR) AS id, (
        SELECT first.public_id FROM ${job} AS first FORCE INDEX (job_entity)
        WHERE first.\`key\` = job.\`key\` AND first.outstanding = 1 AND first.kind IN (${kinds}) AND first.id < job.id
        ORDER BY first.id LIMIT 1
      ) AS dependency FROM ${given} STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = given.id`,
  };
};
