import { BUCKETS } from '@rowlock/core/driver';
import { ms } from '../jobs/statements/columns.js';
import type { Tables } from '../schema/tables.js';

const COUNTS = ['completed', 'failed', 'cancelled', 'retried'] as const;
const TIMES = ['waits', 'runs'] as const;

/** The same of each bucket of a column, as JSON. */
const buckets = (each: (place: number) => string): string =>
  `JSON_ARRAY(${Array.from({ length: BUCKETS }, (_, place) => each(place)).join(', ')})`;

const at = (json: string, place: number): string => `JSON_EXTRACT(${json}, '$[${place}]')`;

const MINUTE = "CAST(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:00') AS DATETIME)";

/** Adds a tally to the one that is there. */
const add = (tally: string): string => `ON DUPLICATE KEY UPDATE
        ${COUNTS.map((name) => `${name} = ${tally}.${name} + VALUES(${name})`).join(', ')},
        ${TIMES.map((name) => `${name} = ${buckets((n) => `${at(`${tally}.${name}`, n)} + ${at(`VALUES(${name})`, n)}`)}`).join(',\n        ')}`;

/** When the ten minutes of a time begin. */
const TEN_MINUTES = 'minute - INTERVAL MINUTE(minute) % 10 MINUTE';

/** What is put together with others. */
const FINE = 'MINUTE(minute) % 10 > 0';

/** The settled jobs, the deletion of old ones, and what workers have counted. */
export const historyStatements = ({ job, run, tally, worker }: Tables) => ({
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

  // From left to right: runs_since gets the time of the report before.
  reportRunning: `
      UPDATE ${worker} SET running = ?, running_ids = ?, memory = COALESCE(?, memory), runs_since = reported_at,
        reported_at = UTC_TIMESTAMP(6)
      WHERE id = ? AND stopped_at IS NULL`,

  addTallies: (given: string): string => `
      INSERT INTO ${tally} (minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')})
      SELECT ${MINUTE}, given.lane_queue, given.lane_kind, ${[...COUNTS, ...TIMES].map((name) => `given.add_${name}`).join(', ')} FROM ${given}
      ${add(tally)}`,

  // Nobody writes into minutes that are over.
  findFine: `
      SELECT CAST(MAX(minute) AS CHAR) AS newest FROM (
        SELECT minute FROM ${tally} WHERE minute < UTC_TIMESTAMP() - INTERVAL 4 HOUR AND ${FINE} ORDER BY minute LIMIT 100000
      ) AS fine`,

  // Another worker that does the same waits for the locks until these are deleted, and finds the others.
  coarsenTallies: `
      INSERT INTO ${tally} (minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')})
      SELECT ${TEN_MINUTES} AS ten, queue, kind, ${COUNTS.map((name) => `SUM(${name})`).join(', ')},
             ${TIMES.map((name) => buckets((n) => `SUM(${at(name, n)})`)).join(',\n             ')}
      FROM (
        SELECT * FROM ${tally} WHERE minute <= ? AND ${FINE} FOR UPDATE
      ) AS fine
      GROUP BY ten, queue, kind
      ${add(tally)}`,

  deleteFine: `DELETE FROM ${tally} WHERE minute <= ? AND ${FINE}`,

  forgetTallies: `DELETE FROM ${tally} WHERE minute < UTC_TIMESTAMP() - INTERVAL 7 DAY ORDER BY minute LIMIT 10000`,

  // The values are the minutes of a step, twice; whether by queue and kind, twice; how many minutes back; a queue, or null, twice; and a kind, or null, twice.
  // The clock has a row of its own where nothing was counted.
  tallies: `
      SELECT CAST(${ms('MAX(clock.now)')} AS CHAR) AS now,
             CAST(TIMESTAMPDIFF(MINUTE, '1970-01-01', minute) DIV ? * ? * 60000 AS CHAR) AS at,
             IF(?, queue, NULL) AS of_queue, IF(?, kind, NULL) AS of_kind,
             ${COUNTS.map((name) => `CAST(SUM(${name}) AS CHAR) AS ${name}`).join(', ')},
             ${TIMES.map((name) => `CAST(${buckets((n) => `SUM(${at(name, n)})`)} AS CHAR) AS ${name}`).join(',\n             ')}
      FROM (SELECT UTC_TIMESTAMP(6) AS now) AS clock
      LEFT JOIN ${tally} ON minute >= ${MINUTE} - INTERVAL ? MINUTE AND (? IS NULL OR queue = ?) AND (? IS NULL OR kind = ?)
      GROUP BY 2, 3, 4 ORDER BY MIN(minute)`,
});
