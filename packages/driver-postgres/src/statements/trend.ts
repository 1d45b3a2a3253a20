import { BUCKETS } from '@rowlock/core/driver';
import type { Tables } from './tables.js';

const COUNTS = ['completed', 'failed', 'cancelled', 'retried'] as const;
const WAITS = Array.from({ length: BUCKETS }, (_, place) => `sum(waits[${place + 1}])`).join(', ');

/** What workers have counted, over a time. */
export const trendStatements = ({ tally }: Tables) => ({
  // $1: how many minutes back. $2: how many minutes are a step. $3: a queue, or null. No steps: null.
  tallies: `
      SELECT json_build_object('now', extract(epoch FROM statement_timestamp()) * 1000, 'steps', (
        SELECT json_agg(step ORDER BY step.at) FROM (
          SELECT extract(epoch FROM minute)::bigint / ($2::integer * 60) * $2::integer * 60000 AS at,
                 ${COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ')},
                 json_build_array(${WAITS}) AS waits
          FROM ${tally}
          WHERE minute >= date_trunc('minute', statement_timestamp()) - $1::integer * interval '1 minute'
            AND ($3::text IS NULL OR queue = $3::text)
          GROUP BY 1
        ) AS step))::text AS answer`,
});
