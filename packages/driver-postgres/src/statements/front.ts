import { alive } from './anchor.js';
import { followed, NEVER } from './followers.js';
import { newestRun } from './in-progress.js';
import { isOutstanding, RUNS_NOW } from './siblings.js';
import { RUN } from './situation.js';
import type { Tables } from './tables.js';

const PLAIN = "status = 'new' AND due AND limits = ''";
const COLUMNS = 'public_id, kind, key, priority, limits, status, due, available_at';
const LIMITED = "status = 'new' AND due AND limits <> ''";

/** The jobs at the front of a queue. */
export const frontStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;

  return {
    // Each leg has one job more than is wanted, which says whether there are more. $4: kinds, each with those that go first.
    front: `
      WITH RECURSIVE ${alive(tables)}, step AS (
        (SELECT limits FROM ${job} WHERE queue = $2 AND ${LIMITED} ORDER BY limits LIMIT 1)
        UNION ALL
        SELECT next.limits FROM step CROSS JOIN LATERAL (
          SELECT limits FROM ${job} WHERE queue = $2 AND ${LIMITED} AND limits > step.limits ORDER BY limits LIMIT 1
        ) AS next
      ), part AS MATERIALIZED (SELECT limits FROM step LIMIT 1000),
      share AS MATERIALIZED (SELECT greatest(1, $3::bigint / greatest(1, count(*))) AS most FROM part),
      found AS MATERIALIZED (
        (SELECT id, 0 AS leg, priority, NULL::timestamptz AS at, 1 AS place
         FROM ${job} WHERE queue = $2 AND status = 'in-progress' ORDER BY id LIMIT $3::bigint + 1)
        UNION ALL
        (SELECT id, 1, priority, NULL, 1 FROM ${job} WHERE queue = $2 AND ${PLAIN} ORDER BY priority, id LIMIT $3::bigint + 1)
        UNION ALL
        SELECT id, 1, priority, NULL, place FROM part CROSS JOIN LATERAL (
          SELECT id, priority, row_number() OVER (ORDER BY priority, id) AS place FROM (
            SELECT id, priority FROM ${job} AS job WHERE queue = $2 AND ${LIMITED} AND job.limits = part.limits
            ORDER BY priority, id LIMIT (SELECT most + 1 FROM share)
          ) AS first
        ) AS own
        UNION ALL
        (SELECT id, 2, 0, available_at, 1 FROM ${job} WHERE queue = $2 AND status = 'new' AND NOT due
         ORDER BY available_at LIMIT $3::bigint + 1)
      ), page AS MATERIALIZED (
        SELECT job.id, ${COLUMNS} FROM (
          SELECT id FROM found WHERE place <= (SELECT most FROM share) ORDER BY leg, at, priority, id LIMIT $3::bigint
        ) AS first JOIN ${job} AS job USING (id)
      ), head AS MATERIALIZED (
        SELECT first.id FROM (SELECT DISTINCT key FROM page WHERE key IS NOT NULL) AS lane CROSS JOIN LATERAL (
          SELECT id FROM ${job} AS job WHERE job.key = lane.key AND queue = $2 AND ${RUNS_NOW} ORDER BY id LIMIT 1
        ) AS first
        WHERE NOT EXISTS (SELECT FROM page WHERE page.id = first.id)
      ), shown AS MATERIALIZED (
        SELECT * FROM page UNION ALL SELECT job.id, ${COLUMNS} FROM head JOIN ${job} AS job USING (id)
      ), taken AS MATERIALIZED (
        SELECT job_id AS id FROM ${run}
        WHERE job_id = ANY(ARRAY(SELECT id FROM shown)) AND finished_at IS NULL AND worker_id IN (SELECT id FROM alive)
        UNION
        SELECT has.id FROM ${openRun}, unnest(job_ids) AS has (id) WHERE worker_id IN (SELECT id FROM alive)
        UNION
        SELECT id FROM shown WHERE status = 'in-progress'
      ), running AS MATERIALIZED (
        SELECT job.id, ${RUN} AS run FROM ${job} AS job
        ${newestRun(tables)}
        LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
        WHERE job.id = ANY(ARRAY(SELECT id FROM shown JOIN taken USING (id)))
      )
      SELECT extract(epoch FROM statement_timestamp()) * 1000 AS now,
             EXISTS (SELECT FROM found WHERE id NOT IN (SELECT id FROM shown)) AS more,
             id, public_id, kind, key, priority, limits, status, due,
             extract(epoch FROM available_at) * 1000 AS available_at, run,
             CASE WHEN available_at = ${NEVER} THEN (
               SELECT first.public_id FROM ${followed(tables, 'shown.public_id')} LIMIT 1
             ) END AS followed,
             CASE WHEN key IS NOT NULL AND $4::jsonb ? kind THEN (
               SELECT earlier.public_id FROM ${job} AS earlier
               WHERE earlier.key = shown.key AND ${isOutstanding('ANY(ARRAY(SELECT jsonb_array_elements_text($4::jsonb -> shown.kind)))')}
                 AND earlier.id < shown.id
               ORDER BY earlier.id LIMIT 1
             ) END AS dependency
      FROM (SELECT) AS one LEFT JOIN shown ON true LEFT JOIN running USING (id)`,
  };
};
