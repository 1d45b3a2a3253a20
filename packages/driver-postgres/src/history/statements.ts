import { BUCKETS } from '@rowlock/core/driver';
import type { Tables } from '../schema/tables.js';

const COUNTS = ['completed', 'failed', 'cancelled', 'retried'] as const;
const TIMES = ['waits', 'runs'] as const;

/** What a worker has now. */
const REPORTED =
  'running = $2, running_ids = $3::bigint[], memory = coalesce($4, memory), runs_since = reported_at, reported_at = statement_timestamp()';

/** The same of each bucket of a column. */
const buckets = (each: (place: number) => string): string =>
  Array.from({ length: BUCKETS }, (_, place) => each(place + 1)).join(', ');

/** Adds a tally to the one that is there. */
const ADD = `ON CONFLICT (minute, queue, kind) DO UPDATE SET
        ${COUNTS.map((name) => `${name} = tally.${name} + excluded.${name}`).join(', ')},
        ${TIMES.map((name) => `${name} = ARRAY[${buckets((n) => `tally.${name}[${n}] + excluded.${name}[${n}]`)}]`).join(',\n        ')}`;

/** When the ten minutes of a time begin. */
const TEN_MINUTES = 'to_timestamp(extract(epoch FROM minute)::bigint / 600 * 600)';

/** The settled jobs, the deletion of old ones, and what workers have counted. */
export const historyStatements = ({ job, run, tally, worker }: Tables) => ({
  // The primary key alone is used: an index for pruning would cost each settlement one more entry. The lock checks the
  // conditions again when the row is locked: the job may have been redriven, and settled anew.
  prune: `
      WITH free AS MATERIALIZED (
        SELECT id FROM ${job}
        WHERE id = ANY($1) AND status IN ('complete', 'error', 'cancelled')
          AND finished_at <= statement_timestamp() - $2 * interval '1 ms'
        ORDER BY id
        FOR UPDATE SKIP LOCKED
      ), pruned AS (
        DELETE FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM free)) RETURNING id
      ), forgotten AS (
        DELETE FROM ${run} WHERE job_id = ANY(ARRAY(SELECT id FROM pruned))
      )
      SELECT count(*) AS pruned FROM pruned`,

  takePruneTurn: `
      UPDATE ${worker} SET prunes_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND NOT EXISTS (SELECT FROM ${worker} WHERE prunes_until > statement_timestamp() AND id <> $1)
      RETURNING id`,

  // Commits without a flush: see statements/workers.ts.
  report: `
      WITH reported AS (
        UPDATE ${worker} SET ${REPORTED} WHERE id = $1 AND stopped_at IS NULL
      )
      INSERT INTO ${tally} AS tally (minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')})
      SELECT date_trunc('minute', statement_timestamp()), queue, kind, ${[...COUNTS, ...TIMES].join(', ')}
      FROM jsonb_to_recordset($5) AS given (queue text, kind text, ${COUNTS.map((name) => `${name} integer`).join(', ')},
        ${TIMES.map((name) => `${name} integer[]`).join(', ')})
      WHERE set_config('synchronous_commit', 'off', true) = 'off'
      ${ADD}`,

  reportRunning: `
      UPDATE ${worker} SET ${REPORTED} WHERE id = $1 AND stopped_at IS NULL
      RETURNING set_config('synchronous_commit', 'off', true)`,

  // Nobody else writes into minutes that are over. Two workers that do this at once share them, and come to equal rows in one order.
  coarsenTallies: `
      WITH fine AS MATERIALIZED (
        SELECT minute, queue, kind FROM ${tally}
        WHERE minute < statement_timestamp() - interval '4 hours' AND minute <> ${TEN_MINUTES}
        ORDER BY minute, queue, kind LIMIT 100000 FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM ${tally} WHERE (minute, queue, kind) IN (SELECT minute, queue, kind FROM fine)
        RETURNING minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')}
      )
      INSERT INTO ${tally} AS tally (minute, queue, kind, ${[...COUNTS, ...TIMES].join(', ')})
      SELECT ${TEN_MINUTES}, queue, kind, ${COUNTS.map((name) => `sum(${name})`).join(', ')},
             ${TIMES.map((name) => `ARRAY[${buckets((n) => `sum(${name}[${n}])`)}]`).join(',\n             ')}
      FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ${ADD}`,

  forgetTallies: `
      DELETE FROM ${tally} WHERE (minute, queue, kind) IN (
        SELECT minute, queue, kind FROM ${tally} WHERE minute < statement_timestamp() - interval '7 days'
        ORDER BY minute LIMIT 10000 FOR UPDATE SKIP LOCKED)`,

  // $1: how many minutes back. $2: how many minutes are a step. $3: a queue, or null. $4: a kind, or null. $5: whether by queue and kind. No sums: null.
  tallies: `
      SELECT json_build_object('now', extract(epoch FROM statement_timestamp()) * 1000, 'sums', (
        SELECT json_agg(step ORDER BY step.at) FROM (
          SELECT extract(epoch FROM minute)::bigint / ($2::integer * 60) * $2::integer * 60000 AS at,
                 CASE WHEN $5::boolean THEN queue END AS queue, CASE WHEN $5::boolean THEN kind END AS kind,
                 ${COUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ')},
                 ${TIMES.map((name) => `json_build_array(${buckets((n) => `sum(${name}[${n}])`)}) AS ${name}`).join(',\n                 ')}
          FROM ${tally}
          WHERE minute >= date_trunc('minute', statement_timestamp()) - $1::integer * interval '1 minute'
            AND ($3::text IS NULL OR queue = $3::text) AND ($4::text IS NULL OR kind = $4::text)
          GROUP BY 1, 2, 3
        ) AS step))::text AS answer`,
});
