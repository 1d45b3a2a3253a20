import { pauseConditions } from './pauses.js';
import type { Tables } from './tables.js';

/** What waits. */
export const statisticsStatements = (tables: Tables) => {
  const { job } = tables;
  const { isQueueOpen, isKindOpen, isTextOpen } = pauseConditions(tables);

  return {
    states: (publicIds: string): string =>
      `SELECT public_id, status FROM ${job} WHERE public_id IN (${publicIds})`,

    queues: `SELECT DISTINCT queue FROM ${job}`,

    // In the order of the index, in which jobs without limits come first.
    dueOf: `
      SELECT kind, CAST(COUNT(*) AS CHAR) AS jobs,
             CAST(SUM(NOT (${isQueueOpen('?')} AND ${isKindOpen('first.kind')} AND ${isTextOpen('first.limits')})) AS CHAR) AS paused,
             CAST(TIMESTAMPDIFF(MICROSECOND, MIN(available_at), UTC_TIMESTAMP(6)) / 1000 AS CHAR) AS oldest_ms
      FROM (
        SELECT kind, limits, available_at FROM ${job} FORCE INDEX (job_claim)
        WHERE queue = ? AND claimable = 1 AND available_at <= UTC_TIMESTAMP(6) LIMIT ?
      ) AS first
      GROUP BY kind`,

    delayedOf: `
      SELECT kind, CAST(COUNT(*) AS CHAR) AS jobs
      FROM (SELECT kind FROM ${job} FORCE INDEX (job_later) WHERE queue = ? AND later = 1 LIMIT ?) AS first
      GROUP BY kind`,
  };
};
