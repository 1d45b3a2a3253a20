import type { Functions, Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';
import { WITHIN } from '../../values/within.js';
import { waking } from '../../workers/statements/bell.js';
import { pauseConditions } from './pauses.js';

const WAITS = "status = 'new' AND due AND limits <> ''";

/**
 * The parts of queues that have due jobs with limits, without those of paused queues. Each step goes right behind the jobs of
 * the part before it, however many there are, or to the next queue.
 *
 * @param beyond Of the first queue, the parts behind this text.
 */
export const partsOf = (tables: Tables, queues: string, beyond: string): string => {
  const { job } = tables;
  const { isAllPaused, pausedQueues, isLimitPaused } = pauseConditions(tables);
  return `
      WITH RECURSIVE step (place, queue, limits, found) AS (
        SELECT 1, (${queues})[1], ${beyond}::text COLLATE "C", false
        UNION ALL
        SELECT next_place, (${queues})[next_place], coalesce(next.limits::text, ''), next.limits IS NOT NULL
        FROM step
        LEFT JOIN LATERAL (
          SELECT limits FROM ${job} WHERE queue = step.queue AND ${WAITS} AND limits > step.limits
            AND step.queue <> ALL(${pausedQueues}) AND NOT ${isAllPaused}
          ORDER BY limits LIMIT 1
        ) AS next ON true
        CROSS JOIN LATERAL (SELECT place + (next.limits IS NULL)::integer) AS number (next_place)
        WHERE step.queue IS NOT NULL
      )
      SELECT queue, limits, ${isLimitPaused('limits')} AS paused FROM step WHERE found`;
};

/** The slots of limits, and the numbers that were set at run time. */
export const limitStatements = (tables: Tables, { enterLimits, limitGate, pruneSlots }: Functions) => {
  const { limitSlot, limitMark, limitSetting } = tables;

  return {
    enterLimits: `SELECT to_json(${enterLimits}($1, $2, $3)) AS slots`,

    leaveLimits: `DELETE FROM ${limitMark} WHERE run_id = $1`,

    // In a transaction of its own: nobody else sees the slots of an open one, and would count too few. Its lock outlives its commit
    // becoming visible.
    growLimit: `
      WITH gate AS MATERIALIZED (SELECT pg_advisory_xact_lock(${limitGate}($1)))
      INSERT INTO ${limitSlot} (name, n) SELECT $1, n FROM gate, generate_series(1, $2::integer) AS n
      ON CONFLICT DO NOTHING`,

    oldSlots: `
      SELECT name FROM ${limitSlot} AS slot
      WHERE name > $1 AND made_at <= clock_timestamp() - $2::double precision * interval '1 ms'
        AND NOT EXISTS (SELECT FROM ${limitSetting} AS fixed WHERE fixed.name = slot.name AND fixed.max IS NOT NULL)
      GROUP BY name
      ORDER BY name
      LIMIT 100`,

    // Each limit in a transaction of its own.
    pruneSlots: `SELECT ${pruneSlots}($1, $2, $3)`,

    limitedParts: `${partsOf(tables, unseen('$1', 'text[]'), '$2')} LIMIT $3`,

    setLimit: waking(
      tables,
      `
      INSERT INTO ${limitSetting} (name, max, starts, per_ms, burst, set_by)
      SELECT $1::text, $4::integer, $5::integer, $6::bigint, $7::integer, $8::text
      WHERE true ${WITHIN}
      ON CONFLICT (name) DO UPDATE SET max = excluded.max, starts = excluded.starts, per_ms = excluded.per_ms, burst = excluded.burst,
        set_by = excluded.set_by, set_at = clock_timestamp()`,
    ),

    unsetLimit: waking(tables, `DELETE FROM ${limitSetting} WHERE name = $1::text ${WITHIN}`),
  };
};
