import { alive } from './anchor.js';
import { claimable } from './claim.js';
import { followed, NEVER } from './followers.js';
import { newestRun, running } from './in-progress.js';
import { pauseConditions } from './pauses.js';
import { isOutstanding, RUNS_NOW } from './siblings.js';
import type { Tables } from './tables.js';

const ms = (time: string): string => `extract(epoch FROM ${time}) * 1000`;

/** The run that has a job, as JSON: of a live worker, or by a lease. Needs `newestRun`. */
export const RUN = `CASE WHEN held OR job.status = 'in-progress' THEN json_build_object(
        'run_id', coalesce(last.process_id, job.process_id), 'worker', worker.name,
        'since', ${ms('last.started_at')}, 'alive', held) END`;

export const NAMED = `json_build_object('publicId', job.public_id, 'kind', job.kind)`;

/** What may be in the way of a job. */
export const situationStatements = (tables: Tables) => {
  const { job, worker, rate, limitSetting } = tables;
  const { isKindOpen } = pauseConditions(tables);
  const run = `${newestRun(tables)} LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id`;

  /** A part's due jobs before the job, in the order of the claim, which walks past those of paused kinds. */
  const before = (limits: string, which: string): string => `
        (SELECT job.id FROM ${job} AS job
        WHERE queue = own.queue AND ${claimable(limits)} AND ${which} AND (priority, job.id) < (own.priority, own.id)
          AND ${isKindOpen} AND job.id NOT IN (SELECT id FROM running)
        ORDER BY priority, job.id
        LIMIT $4)`;

  return {
    // One snapshot. The siblings are the first available ones, as a claim locks them.
    situation: `
      WITH ${alive(tables)}, own AS MATERIALIZED (
        SELECT * FROM ${job} WHERE public_id = $2
      ), ${running(tables, 'job.queue = (SELECT queue FROM own)')},
      sibling AS MATERIALIZED (
        SELECT job.id, ${NAMED} AS named, ${RUN} AS run FROM (
          SELECT first.* FROM own CROSS JOIN LATERAL (
            SELECT * FROM ${job} WHERE key = own.key AND queue = own.queue AND ${RUNS_NOW} AND id <> own.id ORDER BY id LIMIT 100
          ) AS first
        ) AS job
        ${run}
      )
      SELECT public_id, queue, kind, key, limits, status, due, attempt, max_attempts, error,
             ${ms('statement_timestamp()')} AS now, ${ms('available_at')} AS available_at, ${ms('job.finished_at')} AS finished_at,
             ${RUN} AS run,
             (SELECT json_build_object('named', named, 'run', run) FROM sibling WHERE run IS NOT NULL ORDER BY id LIMIT 1) AS sibling,
             (SELECT CASE WHEN sibling.id < job.id THEN named END FROM sibling ORDER BY id LIMIT 1) AS earlier,
             (SELECT named FROM own CROSS JOIN LATERAL (
                SELECT ${NAMED} AS named FROM ${job} AS job
                WHERE key = own.key AND ${isOutstanding('ANY($3)')} AND id < own.id ORDER BY id LIMIT 1) AS first) AS dependency,
             (SELECT json_agg(named) FROM (
                SELECT json_build_object('publicId', first.public_id, 'kind', first.kind) AS named FROM own CROSS JOIN LATERAL (
                  SELECT first.public_id, first.kind FROM ${followed(tables, 'own.public_id')} AND own.available_at = ${NEVER} LIMIT 11
                ) AS first) AS each) AS followed,
             (SELECT count(*) FROM own CROSS JOIN LATERAL (${before("limits = ''", "own.limits = ''")}
                UNION ALL ${before('limits = own.limits', "limits <> ''")}) AS each) AS before,
             (SELECT json_agg(json_build_object(
                'name', rate.name, 'next_us', extract(epoch FROM rate.next_at - statement_timestamp()) * 1000000,
                'starts', fixed.starts, 'perMs', fixed.per_ms, 'burst', fixed.burst))
              FROM own CROSS JOIN LATERAL jsonb_object_keys(nullif(own.limits, '')::jsonb) AS name
              JOIN ${rate} AS rate USING (name) LEFT JOIN ${limitSetting} AS fixed USING (name)) AS rates
      FROM own AS job
      ${run}`,
  };
};
