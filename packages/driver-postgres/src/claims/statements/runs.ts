import type { Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';
import { ENDED_MEANWHILE, fresh, has, writtenOut } from './open-run.js';

/**
 * A condition of a statement: its transaction commits without a flush.
 * https://www.postgresql.org/docs/current/wal-async-commit.html
 */
const UNFLUSHED = "set_config('synchronous_commit', 'off', true) = 'off'";

/** The records of runs. */
export const runStatements = (tables: Tables) => {
  const { run, openRun, worker } = tables;

  /** Whether a record is of the job in $3 that has this id. $6 has the times at which the jobs were created, in milliseconds. */
  const isOf = (id: string): string =>
    `jobs_before > to_timestamp(($6::bigint[])[array_position($3::bigint[], ${id})] / 1000::float8)`;

  /** The known runs of the jobs in $3. The row without an id is for the open runs that have one of the jobs. */
  const known = `known AS MATERIALIZED (
        SELECT job_id AS id, count(*) AS earlier_runs, count(*) FILTER (WHERE outcome = 'reclaim') AS crashes,
               jsonb_agg(process_id) FILTER (WHERE finished_at IS NULL) AS unfinished
        FROM ${run} WHERE job_id = ANY(${unseen('$3', 'bigint[]')}) AND ${isOf('job_id')} GROUP BY job_id
        UNION ALL
        SELECT NULL, 0, 0, jsonb_agg(process_id) FROM ${openRun} WHERE ${has('$3', '$4', '$5', isOf('has.id'))} HAVING count(*) > 0
      )`;

  return {
    // A record for each job, for runs of one job each. $1 and $3 have the same length. Nothing is written when a run of these jobs
    // is unfinished. The caller holds the jobs, so such a run has crashed, and has to be ended first.
    // The jobs are given by ANY and not by a join: for a join the planner reads the whole table when it has few statistics.
    // One run took 136 us of the server, and five 158, while each was planned anew. One now takes 44, and five 54.
    // The runs are visible at once. A statement of its own flushes them beside the handlers.
    // https://www.postgresql.org/docs/current/wal-async-commit.html
    startRuns: `
      WITH ${known}, started AS (
        INSERT INTO ${run} (process_id, job_id, worker_id, jobs_before)
        SELECT process_id, job_id, worker_id, to_timestamp((created + 1) / 1000::float8)
        FROM unnest(${unseen('$1', 'uuid[]')}, $2::integer[], $3::bigint[], $6::bigint[])
          AS given (process_id, worker_id, job_id, created)
        WHERE NOT EXISTS (SELECT FROM known WHERE unfinished IS NOT NULL)
          AND ${UNFLUSHED}
      )
      SELECT * FROM known`,

    // The same for a run of several jobs, or for runs that share a transaction. The runs have one row, which the settlement deletes.
    // A record for each of 500 jobs took a third of the rate.
    startTogether: `
      WITH ${known}, started AS (
        INSERT INTO ${openRun} (process_id, worker_id, job_ids, first_id, last_id, jobs_before)
        SELECT $1::uuid, $2::integer, $3::bigint[], $4::bigint, $5::bigint, to_timestamp(($7::bigint + 1) / 1000::float8)
        WHERE NOT EXISTS (SELECT FROM known WHERE unfinished IS NOT NULL)
          AND ${UNFLUSHED}
      )
      SELECT * FROM known`,

    // A commit that writes to the log is answered when the log is on the disk up to that commit. Every earlier commit is then durable.
    // A message in the log is the smallest possible write.
    flush: `SELECT FROM pg_logical_emit_message(true, 'rowlock', '')`,

    // Writes out the runs that were found, and none that began since.
    writeOut: `WITH ${writtenOut(tables, `process_id = ANY($4) AND ${has('$1', '$2', '$3')}`)} SELECT`,

    endCrashed: `
      UPDATE ${run} SET finished_at = clock_timestamp(), outcome = 'reclaim'
      WHERE job_id = ANY($1) AND process_id = ANY($2) AND finished_at IS NULL`,

    // An open run's jobs get records for their progress.
    noteProgress: `
      WITH noted AS (
        UPDATE ${run} SET progress = $3 WHERE job_id = ANY($1) AND process_id = $2 AND finished_at IS NULL
      )
      INSERT INTO ${run} (process_id, job_id, worker_id, jobs_before, started_at, progress)
      SELECT process_id, has.id, worker_id, jobs_before, started_at, $3::jsonb
      FROM ${openRun}, unnest(job_ids) AS has (id)
      WHERE last_id >= ANY($1) AND process_id = $2 AND has.id = ANY($1)
      ON CONFLICT DO NOTHING`,

    release: `
      WITH over AS (
        DELETE FROM ${openRun} WHERE last_id >= $3 AND process_id = $2 RETURNING worker_id, jobs_before, started_at, job_ids
      ), ended AS (
        UPDATE ${run} SET finished_at = clock_timestamp(), outcome = 'release'
        WHERE job_id = ANY($1) AND process_id = $2 AND ($4 OR finished_at IS NULL)
      )
      INSERT INTO ${run} (process_id, job_id, worker_id, jobs_before, started_at, finished_at, outcome)
      SELECT $2, has.id, worker_id, jobs_before, started_at, clock_timestamp(), 'release' FROM over CROSS JOIN unnest(job_ids) AS has (id)
      WHERE ${fresh(tables, '$2')}
      ${ENDED_MEANWHILE}`,

    // Writes out the runs of workers that are gone.
    forgetRuns: `WITH ${writtenOut(tables, `NOT EXISTS (SELECT FROM ${worker} AS worker WHERE worker.id = worker_id)`)} SELECT`,
  };
};
