import { pauseConditions } from '../admission/statements/pauses.js';
import { heldJobs, NAMED } from '../claims/statements/in-progress.js';
import { RUNS_NOW } from '../claims/statements/siblings.js';
import { ms } from '../jobs/statements/columns.js';
import type { Tables } from '../schema/tables.js';
import { alive } from '../workers/statements/anchor.js';

const ID = 'CAST(job.id AS CHAR) AS id';

const time = (value: string): string =>
  `TIMESTAMP('1970-01-01') + INTERVAL ROUND(${value} * 1000) MICROSECOND`;
const BEGAN = `started_at >= ${time('?')} AND started_at < ${time('?')}`;

/** What operators look at. */
export const insightStatements = (tables: Tables) => {
  const { job, follower, run, openRun, worker } = tables;
  const { isQueueOpen, isKindOpen, isTextOpen } = pauseConditions(tables);

  const columns = (
    error: string,
  ): string => `job.queue, job.\`key\`, job.priority, job.limits, job.due, job.attempt, job.max_attempts,
             CAST(${error} AS CHAR) AS error, CAST(${ms('job.available_at')} AS CHAR) AS available_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS finished_at`;

  /** Jobs, each with a record of a run. @param isAlive Whether the worker of the record is. */
  const record = (isAlive: string): string => `
      SELECT job.public_id, job.kind, job.queue, job.\`key\`, job.status, job.process_id AS last_process_id, job.started_by,
             CAST(${ms('job.started_at')} AS CHAR) AS job_started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS job_finished_at,
             record.process_id, worker.name AS worker, worker.host, record.outcome, record.error, record.progress,
             IF(${isAlive}, 1, 0) AS alive,
             CAST(${ms('record.started_at')} AS CHAR) AS started_at,
             CAST(${ms('record.finished_at')} AS CHAR) AS finished_at`;

  /** Whether an earlier job of its key goes first, by `after` of its handler. The value is the pairs of kinds, as JSON. */
  const isAfter = (later: string): string => `EXISTS (
              SELECT 1 FROM ${job} AS first FORCE INDEX (job_entity)
              WHERE first.\`key\` = ${later}.\`key\` AND first.outstanding = 1 AND first.id < ${later}.id
                AND JSON_CONTAINS(?, JSON_OBJECT('later', ${later}.kind, 'first', first.kind))
            )`;

  return {
    now: `SELECT CAST(${ms('UTC_TIMESTAMP(6)')} AS CHAR) AS now`,

    leased: `SELECT ${ID} FROM ${job} AS job FORCE INDEX (job_leased) WHERE queue = ? AND leased = 1 ORDER BY job.id LIMIT ?`,

    /** @param parts How many parts there are. The values of each are queue, limits, and a number of jobs. */
    due: (parts: number): string =>
      Array.from(
        { length: parts },
        (_, place) => `
        (SELECT ${place} AS part, ${ID}, priority FROM ${job} AS job FORCE INDEX (job_claim)
         WHERE queue = ? AND claimable = 1 AND limits = ? ORDER BY priority, job.id LIMIT ?)`,
      ).join(' UNION ALL '),

    delayed: `
      SELECT ${ID}, CAST(${ms('available_at')} AS CHAR) AS at FROM ${job} AS job FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 ORDER BY available_at LIMIT ?`,

    named: (publicIds: string): string =>
      `SELECT ${ID}, job.queue FROM ${job} AS job FORCE INDEX (public_id) WHERE job.public_id IN (${publicIds})`,

    /** The jobs that runs have. @param way That of selections to jobs in progress. */
    taken: (way: string): string => `SELECT ${ID}, job.queue, job.\`key\` FROM ${way}`,

    waiting: (ids: string, error: 'job.error' | 'NULL'): string => `
      SELECT ${ID}, ${NAMED}, ${columns(error)}, NULL AS run_id, NULL AS worker, NULL AS since, 0 AS alive
      FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE job.id IN (${ids})`,

    running: (ids: string): string =>
      heldJobs(tables, `SELECT id FROM ${job} FORCE INDEX (PRIMARY) WHERE id IN (${ids})`, columns('NULL')),

    // For each key by itself: a key may have very many jobs. By all columns of the index: by the id alone the server sorts all jobs of the key,
    // as a key that comes from a JSON text is no constant for it.
    firstOfKeys: (given: string): string => `
      SELECT CAST((
        SELECT id FROM ${job} AS job FORCE INDEX (job_entity)
        WHERE job.\`key\` = given.entity AND outstanding = 1 AND queue = ? AND ${RUNS_NOW}
        ORDER BY job.\`key\`, outstanding, queue, job.id LIMIT 1
      ) AS CHAR) AS id FROM ${given}`,

    /** The first outstanding jobs for which each of these waits. */
    followed: (publicIds: string): string => `
      SELECT waits, public_id, kind FROM (
        SELECT edge.public_id AS waits, first.public_id, first.kind,
               ROW_NUMBER() OVER (PARTITION BY edge.public_id ORDER BY edge.after_id) AS place
        FROM ${follower} AS edge FORCE INDEX (PRIMARY)
        STRAIGHT_JOIN ${job} AS first FORCE INDEX (public_id) ON first.public_id = edge.after_id
        WHERE edge.public_id IN (${publicIds}) AND first.status IN ('new', 'in-progress')
      ) AS followed WHERE place <= ?`,

    /** The first job of the same key and of these kinds, for each of these jobs: its public id, and behind that its kind. */
    firstOfKinds: (kinds: string, given: string): string => `
      SELECT CAST(given.id AS CHAR) AS id, (
        SELECT CONCAT(first.public_id, first.kind) FROM ${job} AS first FORCE INDEX (job_entity)
        WHERE first.\`key\` = job.\`key\` AND first.outstanding = 1 AND first.kind IN (${kinds}) AND first.id < job.id
        ORDER BY first.id LIMIT 1
      ) AS dependency FROM ${given} STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = given.id`,

    // In the order of the claim, which walks past jobs of kinds that are paused, or not served, and gives back those with `after`. A job
    // whose key a run has, or whose key's first job is one of these or has other limits, waits too.
    countBefore: ({ taken, kinds, keys }: Record<'taken' | 'kinds' | 'keys', string>): string => `
      SELECT CAST(COUNT(*) AS CHAR) AS jobs
      FROM (
        SELECT job.id FROM ${job} AS job FORCE INDEX (job_claim)
        WHERE job.queue = ? AND job.claimable = 1 AND job.limits = ?
          AND (job.priority < ? OR (job.priority = ? AND job.id < ?))
          AND job.available_at <= UTC_TIMESTAMP(6) AND job.kind IN (${kinds}) AND ${isKindOpen('job.kind')} AND job.id NOT IN (${taken})
          AND (job.\`key\` IS NULL OR (job.\`key\` NOT IN (${keys}) AND NOT ${isAfter('job')} AND NOT EXISTS (
            SELECT 1 FROM ${job} AS head FORCE INDEX (job_entity)
            WHERE head.\`key\` = job.\`key\` AND head.outstanding = 1 AND head.queue = ? AND head.id < job.id
              AND (head.status = 'in-progress' OR head.available_at <= UTC_TIMESTAMP(6))
              AND NOT (head.limits = job.limits AND head.kind IN (${kinds}) AND ${isKindOpen('head.kind')} AND NOT ${isAfter('head')})
          )))
        ORDER BY job.priority, job.id LIMIT ?
      ) AS counted`,

    queues: `SELECT DISTINCT queue FROM ${job}`,

    // In the order of the index, in which jobs without limits come first.
    dueOf: `
      SELECT kind, CAST(COUNT(*) AS CHAR) AS jobs,
             CAST(SUM(NOT (${isQueueOpen('?')} AND ${isKindOpen('first.kind')} AND ${isTextOpen('first.limits')})) AS CHAR) AS paused,
             CAST(TIMESTAMPDIFF(MICROSECOND, MIN(available_at), UTC_TIMESTAMP(6)) / 1000 AS CHAR) AS oldest_ms
      FROM (
        SELECT kind, limits, available_at FROM ${job} FORCE INDEX (job_claim)
        WHERE queue = ? AND claimable = 1 AND available_at <= UTC_TIMESTAMP(6) LIMIT ?
      ) AS first
      GROUP BY kind`,

    delayedOf: `
      SELECT kind, CAST(COUNT(*) AS CHAR) AS jobs
      FROM (SELECT kind FROM ${job} FORCE INDEX (job_later) WHERE queue = ? AND later = 1 LIMIT ?) AS first
      GROUP BY kind`,

    // The values are the prefix of the workers' locks, and the job's public id three times. A job without a record has one row, with nulls. A
    // record in its own row goes before that of the open run.
    jobRuns: `${record(`record.process_id IS NOT NULL AND ${alive('record.worker_id')}`)}
      FROM ${job} AS job
      LEFT JOIN (
        SELECT run.process_id, run.worker_id, run.started_at, run.finished_at, run.outcome,
               CAST(run.error AS CHAR) AS error, CAST(run.progress AS CHAR) AS progress
        FROM ${job} AS job STRAIGHT_JOIN ${run} AS run FORCE INDEX (PRIMARY) ON run.job_id = job.id AND run.jobs_before > job.created_at
        WHERE job.public_id = ?
        UNION ALL
        SELECT open.process_id, open.worker_id, open.started_at, NULL, NULL, NULL, NULL
        FROM ${job} AS job STRAIGHT_JOIN ${openRun} AS open
          ON open.last_id >= job.id AND open.first_id <= job.id AND JSON_CONTAINS(open.job_ids, CAST(job.id AS CHAR))
            AND open.jobs_before > job.created_at
        WHERE job.public_id = ? AND NOT EXISTS (
          SELECT 1 FROM ${run} AS noted WHERE noted.job_id = job.id AND noted.process_id = open.process_id)
      ) AS record ON TRUE
      LEFT JOIN ${worker} AS worker ON worker.id = record.worker_id
      WHERE job.public_id = ?`,

    recordedWorkers: `SELECT CAST(id AS CHAR) AS id FROM ${worker}`,

    // The values are the prefix of the workers' locks, the worker, two times in milliseconds since 1970, and the most runs; from the worker
    // on all again; and the worker. The runs are read from the end of the worker's part of the index. A record in its own row goes before that
    // of the open run.
    begunRuns: `${record(alive('worker.id'))}
      FROM (
        (SELECT process_id, job_id, jobs_before, started_at, finished_at, outcome,
                CAST(error AS CHAR) AS error, CAST(progress AS CHAR) AS progress
         FROM ${run} FORCE INDEX (run_started) WHERE worker_id = ? AND ${BEGAN}
         ORDER BY started_at DESC LIMIT ?)
        UNION ALL
        (SELECT open.process_id, has.id, open.jobs_before, open.started_at, NULL, NULL, NULL, NULL
         FROM ${openRun} AS open STRAIGHT_JOIN JSON_TABLE(open.job_ids, '$[*]' COLUMNS (id BIGINT PATH '$')) AS has
         WHERE open.worker_id = ? AND ${BEGAN} AND NOT EXISTS (
           SELECT 1 FROM ${run} AS noted WHERE noted.job_id = has.id AND noted.process_id = open.process_id)
         LIMIT ?)
      ) AS record
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = record.job_id AND record.jobs_before > job.created_at
      STRAIGHT_JOIN ${worker} AS worker ON worker.id = ?`,
  };
};
