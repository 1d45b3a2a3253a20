import { BUCKETS } from '@rowlock/core/driver';
import { pauseConditions } from './pauses.js';
import type { Tables } from './tables.js';

const COUNTS = ['completed', 'failed', 'cancelled', 'retried'] as const;
const TIMES = ['waits', 'runs'] as const;

/** The same of each bucket of a column, as JSON. */
const buckets = (each: (place: number) => string): string =>
  `JSON_ARRAY(${Array.from({ length: BUCKETS }, (_, place) => each(place)).join(', ')})`;

const at = (json: string, place: number): string => `JSON_EXTRACT(${json}, '$[${place}]')`;

const MINUTE = "CAST(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:00') AS DATETIME)";

/** What waits, and what workers have counted. */
export const statisticsStatements = (tables: Tables) => {
  const { job, tally, worker } = tables;
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

    // From left to right: runs_since gets the time of the report before.
    reportRunning: `
      UPDATE ${worker} SET running = ?, running_ids = ?, runs_since = reported_at, reported_at = UTC_TIMESTAMP(6)
      WHERE id = ? AND stopped_at IS NULL`,

    addTallies: (given: string): string => `
      INSERT INTO ${tally} (minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')})
      SELECT ${MINUTE}, given.lane_queue, given.lane_kind, ${[...COUNTS, ...TIMES].map((name) => `given.add_${name}`).join(', ')} FROM ${given}
      ON DUPLICATE KEY UPDATE
        ${COUNTS.map((name) => `${name} = ${name} + VALUES(${name})`).join(', ')},
        ${TIMES.map((name) => `${name} = ${buckets((n) => `${at(name, n)} + ${at(`VALUES(${name})`, n)}`)}`).join(',\n        ')}`,

    tallied: `
      SELECT queue, kind, ${COUNTS.map((name) => `CAST(SUM(${name}) AS CHAR) AS ${name}`).join(', ')},
             ${TIMES.map((name) => `CAST(${buckets((n) => `SUM(${at(name, n)})`)} AS CHAR) AS ${name}`).join(',\n             ')},
             CAST(TIMESTAMPDIFF(MICROSECOND, ${MINUTE}, UTC_TIMESTAMP(6)) / 1000000 AS CHAR) AS seconds
      FROM ${tally}
      WHERE minute >= ${MINUTE} - INTERVAL ? MINUTE
      GROUP BY queue, kind`,

    forgetTallies: `DELETE FROM ${tally} WHERE minute < UTC_TIMESTAMP() - INTERVAL 7 DAY ORDER BY minute LIMIT 10000`,
  };
};
