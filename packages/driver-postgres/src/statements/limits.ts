import { waking } from './bell.js';
import { pauseConditions } from './pauses.js';
import type { Functions, Tables } from './tables.js';
import { unseen } from './unseen.js';
import { WITHIN } from './within.js';

const WAITS = "status = 'new' AND due AND limits <> ''";

/**
 * The parts of queues that have due jobs with limits, without paused ones. Each step goes right behind the jobs of the
 * part before it, however many there are.
 */
export const openParts = (tables: Tables): string => {
  const { job } = tables;
  const { isAllPaused, pausedQueues, isLimitPaused } = pauseConditions(tables);
  return `
      WITH RECURSIVE part AS (
        SELECT first.* FROM unnest(${unseen('$1', 'text[]')}) AS lane (queue)
        CROSS JOIN LATERAL (
          SELECT queue, limits FROM ${job} WHERE queue = lane.queue AND ${WAITS} ORDER BY limits LIMIT 1
        ) AS first
        WHERE lane.queue <> ALL(${pausedQueues}) AND NOT ${isAllPaused}
        UNION ALL
        SELECT next.* FROM part
        CROSS JOIN LATERAL (
          SELECT queue, limits FROM ${job} WHERE queue = part.queue AND ${WAITS} AND limits > part.limits ORDER BY limits LIMIT 1
        ) AS next
      )
      SELECT queue, limits FROM part WHERE NOT ${isLimitPaused('part.limits')}`;
};

/** The slots of limits, and the sizes that were set at run time. */
export const limitStatements = (tables: Tables, { enterLimits, limitGate }: Functions) => {
  const { limitSlot, limitMark, limitSize } = tables;

  return {
    enterLimits: `SELECT to_json(${enterLimits}($1, $2, $3)) AS slots`,

    leaveLimits: `DELETE FROM ${limitMark} WHERE run_id = $1`,

    // In a transaction of its own: nobody else sees the slots of an open one, and would count too few. Its lock outlives its commit
    // becoming visible.
    growLimit: `
      WITH gate AS MATERIALIZED (SELECT pg_advisory_xact_lock(${limitGate}($1)))
      INSERT INTO ${limitSlot} (name, n) SELECT $1, n FROM gate, generate_series(1, $2::integer) AS n
      ON CONFLICT DO NOTHING`,

    limitedParts: `${openParts(tables)} LIMIT 1000`,

    setLimit: waking(
      tables,
      `
      INSERT INTO ${limitSize} (name, max, set_by) SELECT $1::text, $4::integer, $5::text
      WHERE true ${WITHIN}
      ON CONFLICT (name) DO UPDATE SET max = excluded.max, set_by = excluded.set_by, set_at = clock_timestamp()`,
    ),

    unsetLimit: waking(tables, `DELETE FROM ${limitSize} WHERE name = $1::text ${WITHIN}`),

    limits: `
      SELECT json_build_object('name', name, 'max', max, 'set_at', extract(epoch FROM set_at) * 1000, 'set_by', set_by)::text AS answer
      FROM ${limitSize}
      WHERE true ${WITHIN}
      ORDER BY name COLLATE "C"
      LIMIT 1000`,
  };
};
