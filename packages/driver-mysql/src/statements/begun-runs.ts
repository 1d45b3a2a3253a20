import { alive } from './anchor.js';
import { ms } from './columns.js';
import type { Tables } from './tables.js';

const time = (value: string): string =>
  `TIMESTAMP('1970-01-01') + INTERVAL ROUND(${value} * 1000) MICROSECOND`;
const BEGAN = `started_at >= ${time('?')} AND started_at < ${time('?')}`;

/** The newest runs of the workers. */
export const begunRunStatements = ({ job, run, openRun, worker }: Tables) => ({
  recordedWorkers: `SELECT CAST(id AS CHAR) AS id FROM ${worker}`,

  // The values are the prefix of the workers' locks, the worker, two times in milliseconds since 1970, and the most runs; from the worker
  // on all again; and the worker. The runs are read from the end of the worker's part of the index. A record in its own row goes before that
  // of the open run.
  begunRuns: `
      SELECT job.public_id, job.kind, job.queue, job.\`key\`, job.status, job.process_id AS last_process_id, job.started_by,
             CAST(${ms('job.started_at')} AS CHAR) AS job_started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS job_finished_at,
             begun.process_id, worker.name AS worker, worker.host, begun.outcome, begun.error, begun.progress,
             IF(${alive('worker.id')}, 1, 0) AS alive,
             CAST(${ms('begun.started_at')} AS CHAR) AS started_at,
             CAST(${ms('begun.finished_at')} AS CHAR) AS finished_at
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
      ) AS begun
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = begun.job_id AND begun.jobs_before > job.created_at
      STRAIGHT_JOIN ${worker} AS worker ON worker.id = ?`,
});
