import { pauseConditions } from '../admission/statements/pauses.js';
import { claimable } from '../claims/statements/claim.js';
import { NAMED, newestRun, RUN, running } from '../claims/statements/in-progress.js';
import { isOutstanding, RUNS_NOW } from '../claims/statements/siblings.js';
import { followed, NEVER } from '../followers/statements.js';
import type { Tables } from '../schema/tables.js';
import { alive } from '../workers/statements/anchor.js';

const PLAIN = "status = 'new' AND due AND limits = ''";
const LIMITED = "status = 'new' AND due AND limits <> ''";
const LATER = "status = 'new' AND NOT due";

const columnsOf = (error: string): string =>
  `id, public_id, queue, kind, key, priority, limits, status, due, available_at, finished_at, attempt, max_attempts, ${error} AS error`;

const ms = (time: string): string => `extract(epoch FROM ${time}) * 1000`;

/** What operators look at. */
export const insightStatements = (tables: Tables) => {
  const { job, run, openRun, worker } = tables;
  const { isAllPaused, pausedQueues, pausedKinds, isKindOpen, isLimitPaused } = pauseConditions(tables);
  const isPaused = `${isAllPaused} OR queue = ANY(${pausedQueues}) OR kind = ANY(${pausedKinds})`;

  /**
   * Jobs, and the first of their keys. One snapshot. $2: kinds, each with those that go first.
   *
   * @param page The jobs in question, with these columns.
   */
  const facts = (
    page: string,
    { more, columns, before, named }: Record<'more' | 'columns' | 'before' | 'named', string>,
  ) => `
      WITH RECURSIVE ${alive(tables)}, ${page},
      ${running(tables, 'job.queue = ANY(ARRAY(SELECT DISTINCT queue FROM page))')},
      taken AS MATERIALIZED (
        SELECT id FROM running
        UNION ALL
        SELECT id FROM ${job} WHERE queue = ANY(ARRAY(SELECT DISTINCT queue FROM page)) AND status = 'in-progress'
      ), busy AS MATERIALIZED (
        SELECT DISTINCT queue, key FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM taken)) AND key IS NOT NULL
      ), lane AS MATERIALIZED (
        SELECT DISTINCT queue, key FROM page WHERE key IS NOT NULL
      ), head AS MATERIALIZED (
        SELECT first.id FROM lane CROSS JOIN LATERAL (
          SELECT id FROM ${job} AS job WHERE job.key = lane.key AND queue = lane.queue AND ${RUNS_NOW} ORDER BY id LIMIT 1
        ) AS first
        UNION
        SELECT min(held.id) FROM ${job} AS held JOIN lane USING (queue, key) WHERE held.id = ANY(ARRAY(SELECT id FROM taken)) GROUP BY queue, key
        EXCEPT
        SELECT id FROM page
      ), own AS MATERIALIZED (
        SELECT * FROM page UNION ALL SELECT ${columns} FROM ${job} WHERE id = ANY(ARRAY(SELECT id FROM head))
      ), held_by AS MATERIALIZED (
        SELECT job.id, ${RUN} AS run FROM ${job} AS job
        ${newestRun(tables)}
        LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
        WHERE job.id = ANY(ARRAY(SELECT id FROM own JOIN taken USING (id)))
      )
      SELECT ${ms('statement_timestamp()')} AS now, ${more} AS more, own.*,
             ${ms('available_at')} AS available_ms, ${ms('finished_at')} AS finished_ms, run,
             CASE WHEN available_at = ${NEVER} THEN (
               SELECT json_agg(json_build_object('publicId', public_id, 'kind', kind)) FROM (
                 SELECT first.public_id, first.kind FROM ${followed(tables, 'own.public_id')} LIMIT ${named}
               ) AS first
             ) END AS followed,
             CASE WHEN key IS NOT NULL AND $2::jsonb ? kind THEN (
               SELECT ${NAMED} FROM ${job} AS job
               WHERE job.key = own.key AND ${isOutstanding('ANY(ARRAY(SELECT jsonb_array_elements_text($2::jsonb -> own.kind)))')}
                 AND job.id < own.id
               ORDER BY job.id LIMIT 1
             ) END AS dependency,
             ${before} AS before
      FROM (SELECT) AS one LEFT JOIN own ON true LEFT JOIN held_by USING (id)`;

  const isTaken = `$5::jsonb -> own.queue ? kind AND ${isKindOpen}`;

  /** Whether an earlier job of its key goes first, by `after` of its handler. */
  const isAfter = (later: string): string => `$2::jsonb ? ${later}.kind AND EXISTS (
                   SELECT FROM ${job} AS first
                   WHERE first.key = ${later}.key AND first.id < ${later}.id AND first.status IN ('new', 'in-progress')
                     AND first.kind = ANY(ARRAY(SELECT jsonb_array_elements_text($2::jsonb -> ${later}.kind)))
                 )`;

  /**
   * A part's due jobs before a job, in the order of the claim, which walks past those of kinds that are paused, or not served, and gives
   * back those with `after`. A job whose key a run has, or whose key's first job is one of these or has other limits, waits too.
   */
  const before = (limits: string, which: string): string => `
               (SELECT FROM ${job} AS job
               WHERE queue = own.queue AND ${claimable(limits)} AND ${which} AND (priority, job.id) < (own.priority, own.id)
                 AND ${isTaken} AND job.id NOT IN (SELECT id FROM running)
                 AND (job.key IS NULL OR (
                   job.key IS DISTINCT FROM own.key AND job.key NOT IN (SELECT key FROM busy WHERE busy.queue = own.queue)
                   AND NOT (${isAfter('job')})
                   AND NOT EXISTS (
                     SELECT FROM ${job} AS head
                     WHERE head.key = job.key AND head.queue = own.queue AND ${RUNS_NOW} AND head.id < job.id
                       AND (head.limits <> job.limits OR (${isTaken}) IS NOT TRUE OR ${isAfter('head')})
                   )
                 ))
               ORDER BY priority, job.id LIMIT $4::bigint)`;

  /** The queues of one of the indexes of waiting jobs, in order. Each step goes right behind the jobs of the queue before. */
  const queuesOf = (name: string, which: string): string => `${name} AS (
        (SELECT queue FROM ${job} WHERE ${which} ORDER BY queue LIMIT 1)
        UNION ALL
        SELECT (SELECT job.queue FROM ${job} AS job WHERE ${which} AND job.queue > ${name}.queue ORDER BY job.queue LIMIT 1)
        FROM ${name} WHERE ${name}.queue IS NOT NULL
      )`;

  const first = (name: string, columns: string, which: string, order: string): string => `
        SELECT found.* FROM ${name} CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${job}
          WHERE queue = ${name}.queue AND ${which} ORDER BY ${order} LIMIT (SELECT most FROM share)
        ) AS found`;

  /** Jobs, each with a record of a run. */
  const RECORD = `public_id, kind, queue, key, status, job.process_id AS last_process_id, started_by,
             ${ms('job.started_at')} AS job_started_at, ${ms('job.finished_at')} AS job_finished_at,
             record.process_id, worker.name AS worker, worker.host, record.worker_id IN (SELECT id FROM alive) AS alive,
             ${ms('record.started_at')} AS started_at, ${ms('record.finished_at')} AS finished_at, outcome, record.error, progress`;

  const BEGAN =
    'started_at >= to_timestamp($2::float8 / 1000) AND ($3::float8 IS NULL OR started_at < to_timestamp($3::float8 / 1000))';

  return {
    // $3: the queue. $4: the most jobs. Each leg has one job more than is wanted, which says whether there are more.
    front: facts(
      `step AS (
        (SELECT limits FROM ${job} WHERE queue = $3 AND ${LIMITED} ORDER BY limits LIMIT 1)
        UNION ALL
        SELECT next.limits FROM step CROSS JOIN LATERAL (
          SELECT limits FROM ${job} WHERE queue = $3 AND ${LIMITED} AND limits > step.limits ORDER BY limits LIMIT 1
        ) AS next
      ), part AS MATERIALIZED (SELECT limits FROM step LIMIT 1000),
      share AS MATERIALIZED (SELECT greatest(1, $4::bigint / greatest(1, count(*))) AS most FROM part),
      found AS MATERIALIZED (
        (SELECT id, 0 AS leg, priority, NULL::timestamptz AS at, 1 AS place
         FROM ${job} WHERE queue = $3 AND status = 'in-progress' ORDER BY id LIMIT $4::bigint + 1)
        UNION ALL
        (SELECT id, 1, priority, NULL, 1 FROM ${job} WHERE queue = $3 AND ${PLAIN} ORDER BY priority, id LIMIT $4::bigint + 1)
        UNION ALL
        SELECT id, 1, priority, NULL, place FROM part CROSS JOIN LATERAL (
          SELECT id, priority, row_number() OVER (ORDER BY priority, id) AS place FROM (
            SELECT id, priority FROM ${job} AS job WHERE queue = $3 AND ${LIMITED} AND job.limits = part.limits
            ORDER BY priority, id LIMIT (SELECT most + 1 FROM share)
          ) AS first
        ) AS each_part
        UNION ALL
        (SELECT id, 2, 0, available_at, 1 FROM ${job} WHERE queue = $3 AND ${LATER}
         ORDER BY available_at LIMIT $4::bigint + 1)
      ), page AS MATERIALIZED (
        SELECT ${columnsOf('NULL::jsonb')} FROM ${job} WHERE id = ANY(ARRAY(
          SELECT id FROM found WHERE place <= (SELECT most FROM share) ORDER BY leg, at, priority, id LIMIT $4::bigint
        ))
      )`,
      {
        more: 'EXISTS (SELECT FROM found WHERE id NOT IN (SELECT id FROM own))',
        columns: columnsOf('NULL::jsonb'),
        before: '0::bigint',
        named: '1',
      },
    ),

    // $3: the public ids. $4: the most jobs before one that are counted. $5: the kinds that are served, by queue.
    named: facts(
      `page AS MATERIALIZED (SELECT ${columnsOf('error')} FROM ${job} WHERE public_id = ANY($3::uuid[]))`,
      {
        more: 'false',
        columns: columnsOf('error'),
        before: `CASE WHEN status = 'new' THEN (SELECT count(*) FROM (${before("limits = ''", "own.limits = ''")}
               UNION ALL ${before('limits = own.limits', "limits <> ''")}) AS each) ELSE 0 END`,
        named: '11',
      },
    ),

    backlog: `
      WITH RECURSIVE ${queuesOf('plain', PLAIN)}, ${queuesOf('limited', LIMITED)}, ${queuesOf('later', LATER)},
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

    // $2: the job's public id. A job without a record has one row, with nulls. A record in its own row goes before that of the open run.
    jobRuns: `
      WITH ${alive(tables)}, job AS MATERIALIZED (
        SELECT id, public_id, kind, queue, key, status, process_id, created_at, started_at, started_by, finished_at FROM ${job}
        WHERE public_id = $2::uuid
      ), record AS (
        SELECT run.process_id, worker_id, run.started_at, run.finished_at, outcome, error, progress
        FROM job JOIN ${run} AS run ON run.job_id = job.id AND jobs_before > job.created_at
        UNION ALL
        SELECT open.process_id, worker_id, open.started_at, NULL, NULL, NULL, NULL
        FROM job JOIN ${openRun} AS open
          ON last_id >= job.id AND first_id <= job.id AND job.id = ANY(job_ids) AND jobs_before > job.created_at
        WHERE NOT EXISTS (SELECT FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)
      )
      SELECT ${RECORD}
      FROM job LEFT JOIN record ON true
      LEFT JOIN ${worker} AS worker ON worker.id = record.worker_id`,

    // $2 and $3: milliseconds since 1970. $4: the most runs. The index alone says when the oldest of these began, so that of many workers no
    // more runs are read than are wanted. A record in its own row goes before that of the open run.
    begunRuns: `
      WITH ${alive(tables)}, oldest AS MATERIALIZED (
        SELECT min(started_at) AS began FROM (
          SELECT newest.started_at FROM ${worker} AS worker CROSS JOIN LATERAL (
            SELECT started_at FROM ${run} WHERE worker_id = worker.id AND ${BEGAN} ORDER BY started_at DESC LIMIT $4::bigint
          ) AS newest
          ORDER BY started_at DESC LIMIT $4::bigint
        ) AS newest
      ), record AS MATERIALIZED (
        SELECT own.* FROM oldest CROSS JOIN ${worker} AS worker CROSS JOIN LATERAL (
          SELECT process_id, job_id, worker_id, jobs_before, started_at, finished_at, outcome, error, progress FROM ${run}
          WHERE worker_id = worker.id AND started_at >= oldest.began AND ${BEGAN}
        ) AS own
        UNION ALL
        SELECT process_id, has.id, worker_id, jobs_before, started_at, NULL, NULL, NULL, NULL
        FROM ${openRun} AS open CROSS JOIN unnest(job_ids) AS has (id)
        WHERE ${BEGAN}
          AND NOT EXISTS (SELECT FROM ${run} AS noted WHERE noted.job_id = has.id AND noted.process_id = open.process_id)
        ORDER BY started_at DESC LIMIT $4::bigint
      )
      SELECT ${RECORD}
      FROM record JOIN ${job} AS job ON job.id = record.job_id AND jobs_before > job.created_at
      JOIN ${worker} AS worker ON worker.id = record.worker_id
      ORDER BY record.started_at DESC`,
  };
};
