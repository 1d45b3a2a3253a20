import { BUCKETS } from '@rowlock/core/driver';
import { ms } from './columns.js';
import type { Tables } from './tables.js';

const COUNTS = ['completed', 'failed', 'cancelled', 'retried'] as const;

const WAITS = Array.from({ length: BUCKETS }, (_, place) => `SUM(JSON_EXTRACT(waits, '$[${place}]'))`).join(
  ', ',
);

/** What workers have counted, over a time. */
export const trendStatements = ({ tally }: Tables) => ({
  now: `SELECT CAST(${ms('UTC_TIMESTAMP(6)')} AS CHAR) AS now`,

  // The values are the minutes of a step, twice; how many minutes back; and a queue, or null, twice.
  tallies: `
      SELECT CAST(TIMESTAMPDIFF(MINUTE, '1970-01-01', minute) DIV ? * ? * 60000 AS CHAR) AS at,
             ${COUNTS.map((name) => `CAST(SUM(${name}) AS CHAR) AS ${name}`).join(', ')},
             CAST(JSON_ARRAY(${WAITS}) AS CHAR) AS waits
      FROM ${tally}
      WHERE minute >= CAST(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:00') AS DATETIME) - INTERVAL ? MINUTE
        AND (? IS NULL OR queue = ?)
      GROUP BY 1 ORDER BY MIN(minute)`,
});
