import { claimable } from './claim.js';
import { pauseConditions } from './pauses.js';
import type { Tables } from './tables.js';

/** The queues of one of the indexes of waiting jobs, in order. Each step goes right behind the jobs of the queue before. */
const queuesOf = (job: string, name: string, which: string): string => `${name} AS (
        (SELECT queue FROM ${job} WHERE ${which} ORDER BY queue LIMIT 1)
        UNION ALL
        SELECT (SELECT job.queue FROM ${job} AS job WHERE ${which} AND job.queue > ${name}.queue ORDER BY job.queue LIMIT 1)
        FROM ${name} WHERE ${name}.queue IS NOT NULL
      )`;

const DUE = "status = 'new' AND due AND limits = ''";
const LIMITED = "status = 'new' AND due AND limits <> ''";
const LATER = "status = 'new' AND NOT due";

/** What waits. */
export const statisticsStatements = (tables: Tables) => {
  const { job } = tables;
  const { isAllPaused, pausedQueues, pausedKinds, isLimitPaused } = pauseConditions(tables);
  const isPaused = `${isAllPaused} OR queue = ANY(${pausedQueues}) OR kind = ANY(${pausedKinds})`;
  const first = (name: string, columns: string, which: string, order: string): string => `
        SELECT found.* FROM ${name} CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${job}
          WHERE queue = ${name}.queue AND ${which} ORDER BY ${order} LIMIT (SELECT most FROM share)
        ) AS found`;

  return {
    backlog: `
      WITH RECURSIVE ${queuesOf(job, 'plain', DUE)}, ${queuesOf(job, 'limited', LIMITED)}, ${queuesOf(job, 'later', LATER)},
      share AS MATERIALIZED (
        SELECT least($1::bigint, greatest(100, $2::bigint / greatest(1, count(queue)))) AS most
        FROM (SELECT queue FROM plain UNION SELECT queue FROM limited UNION SELECT queue FROM later) AS lane
      ),
      waiting AS MATERIALIZED (${first('plain', "queue, kind, available_at, limits, 'due' AS state", claimable("limits = ''"), 'priority, id')}
        UNION ALL ${first('limited', "queue, kind, available_at, limits, 'due'", claimable("limits <> ''"), 'limits, priority, id')}
        UNION ALL ${first('later', "queue, kind, available_at, limits, 'later'", LATER, 'available_at')}
      )
      SELECT queue, kind,
             count(*) FILTER (WHERE state = 'due') AS due,
             count(*) FILTER (WHERE state = 'due'
               AND (${isPaused} OR limits <> '' AND ${isLimitPaused("nullif(limits, '')")})) AS paused,
             count(*) FILTER (WHERE state = 'later') AS delayed,
             sum(count(*) FILTER (WHERE state = 'due')) OVER (PARTITION BY queue) >= (SELECT most FROM share) AS more,
             sum(count(*) FILTER (WHERE state = 'later')) OVER (PARTITION BY queue) >= (SELECT most FROM share) AS more_delayed,
             extract(epoch FROM statement_timestamp() - min(available_at) FILTER (WHERE state = 'due')) * 1000 AS oldest_ms
      FROM waiting
      GROUP BY queue, kind
      ORDER BY queue, kind`,
  };
};
