import { NAMED, newestRun, RUN, running } from '../../claims/statements/in-progress.js';
import type { Tables } from '../../schema/tables.js';
import { alive } from '../../workers/statements/anchor.js';

const WAITS = "status = 'new' AND due AND limits <> ''";

/** The jobs with limits, the slots that are taken, and the times of starts. */
export const limitedJobStatements = (tables: Tables) => {
  const { job, worker, limitSlot, limitSetting, limitMark, rate } = tables;
  const run = `${newestRun(tables)} LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id`;

  /**
   * The parts of all queues, up to the most that are wanted, and so many jobs of each. Each step goes right behind the jobs of the part
   * before it.
   */
  const parts = (most: string, jobs: string): string => `step AS (
        (SELECT queue, limits FROM ${job} WHERE ${WAITS} ORDER BY queue, limits LIMIT 1)
        UNION ALL
        SELECT next.queue, next.limits FROM step CROSS JOIN LATERAL (
          SELECT queue, limits FROM ${job} WHERE ${WAITS} AND (queue, limits) > (step.queue, step.limits)
          ORDER BY queue, limits LIMIT 1
        ) AS next
      ), part AS MATERIALIZED (SELECT queue, limits FROM step LIMIT ${most}),
      share AS MATERIALIZED (SELECT greatest(10, ${jobs} / greatest(1, count(*))) AS most FROM part)`;

  return {
    limitedPartsOfAll: `
      WITH RECURSIVE ${parts('$1::bigint', '$2::bigint')}
      SELECT part.queue, part.limits, least(few.due, share.most) AS due, few.due > share.most AS more
      FROM part CROSS JOIN share CROSS JOIN LATERAL (
        SELECT count(*) AS due FROM (
          SELECT FROM ${job} AS job
          WHERE job.queue = part.queue AND job.limits = part.limits AND ${WAITS} AND available_at <= statement_timestamp()
          LIMIT (SELECT most + 1 FROM share)
        ) AS first
      ) AS few
      WHERE few.due > 0
      ORDER BY part.queue, part.limits`,

    heldLimitedJobs: `
      WITH ${alive(tables)}, ${running(tables, "job.limits <> ''")}
      SELECT ${NAMED} AS named, queue, limits, status = 'new' AS due, ${RUN} AS run FROM (
        (SELECT * FROM ${job} WHERE status = 'in-progress' AND limits <> '' LIMIT 1000)
        UNION ALL
        SELECT * FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM running))
      ) AS job
      ${run}`,

    settings: `
      SELECT json_strip_nulls(json_build_object(
               'name', name, 'max', max, 'starts', starts, 'perMs', per_ms, 'burst', burst,
               'set_at', extract(epoch FROM set_at) * 1000, 'set_by', set_by))::text AS answer
      FROM ${limitSetting} WHERE $1::text[] IS NULL OR name = ANY($1::text[])
      ORDER BY name COLLATE "C"
      LIMIT 1000`,

    // A slot's row is never changed, so its xmax is who has locked it last. The number of a transaction is made whole from the current one: it
    // is at most 2^31 away. A lock leaves no other trace that could be read without a lock.
    takenSlots: `
      SELECT slot.name, count(*) FILTER (
        WHERE pg_xact_status((near.n - ((near.n - slot.xmax::text::bigint) & 4294967295))::text::xid8) = 'in progress'
           OR EXISTS (SELECT FROM ${limitMark} AS mark WHERE mark.name = slot.name AND mark.n = slot.n AND until > statement_timestamp())
      ) AS taken
      FROM (
        SELECT name FROM ${limitSlot} WHERE $1::text[] IS NULL OR name = ANY($1::text[])
        GROUP BY name ORDER BY name COLLATE "C" LIMIT 1000
      ) AS wanted
      JOIN ${limitSlot} AS slot USING (name)
      CROSS JOIN (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 2147483648 AS n) AS near
      GROUP BY slot.name
      ORDER BY slot.name COLLATE "C"`,

    startTimes: `
      SELECT name, extract(epoch FROM next_at - statement_timestamp()) * 1000000 AS next_us
      FROM ${rate} WHERE $1::text[] IS NULL OR name = ANY($1::text[])
      ORDER BY name COLLATE "C" LIMIT 1000`,
  };
};
