import type { Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';
import { alive } from '../../workers/statements/anchor.js';
import { writtenOut } from './open-run.js';

/** Leases, and the reclaim of those that are over or whose worker is gone. */
export const leaseStatements = (tables: Tables) => {
  const { job, run, limitMark } = tables;
  const leased = `${alive(tables)}, leased AS MATERIALIZED (
        SELECT job.id, job.process_id, run.worker_id, leased_until < clock_timestamp() AS over,
               run.worker_id IS NOT NULL AND run.worker_id NOT IN (SELECT id FROM alive) AS missing
        FROM ${job} AS job LEFT JOIN ${run} AS run ON run.process_id = job.process_id AND run.job_id = job.id
        WHERE job.queue = ANY(${unseen('$2', 'text[]')}) AND job.status = 'in-progress'
      )`;
  const isOver = `(over OR leased.process_id = ANY(${unseen('$5', 'uuid[]')}) OR (missing AND leased.worker_id = ANY(${unseen('$3', 'integer[]')})))`;
  // A lease without a record is put back when it is over, as nobody can say whose it is. $4 is the calling worker, and $5 has those of
  // its runs that have ended.
  // A job that was put back has no process_id, so a run that would settle it no longer finds it.
  // The lock checks the last condition again when the row is locked: the job may have been settled and leased anew.
  const reclaim = (which: string): string => `
      WITH ${leased}, free AS (
        SELECT job.id, leased.process_id FROM ${job} AS job JOIN leased ON job.id = leased.id
        WHERE ${isOver}
          AND job.status = 'in-progress' AND job.process_id = leased.process_id${which}
        FOR NO KEY UPDATE OF job SKIP LOCKED
      ), reclaimed AS (
        UPDATE ${job} AS job SET status = 'new', process_id = NULL FROM free WHERE job.id = free.id RETURNING free.process_id
      ), given_back AS (
        DELETE FROM ${limitMark} WHERE run_id = ANY(ARRAY(SELECT process_id FROM reclaimed))
      )
      SELECT (SELECT count(*) FROM reclaimed) AS reclaimed,
             (SELECT coalesce(jsonb_agg(DISTINCT worker_id::text), '[]') FROM leased WHERE missing) AS missing,
             (SELECT coalesce(jsonb_agg(DISTINCT process_id), '[]') FROM leased WHERE worker_id = $4) AS own`;

  return {
    // Writes out an open run's common record: a lease lasts, and may be of some of its jobs.
    // The claim's slots, in $5 and $6, become the run's. Their locks make sure that the marks of others on them are over.
    lease: `
      WITH ${writtenOut(tables, 'last_id >= $4 AND process_id = $1')}, taken AS (
        SELECT * FROM unnest(${unseen('$5', 'text[]')}, ${unseen('$6', 'integer[]')}) AS taken (name, n)
      ), over AS (
        DELETE FROM ${limitMark} AS mark USING taken WHERE mark.name = taken.name AND mark.n = taken.n
      ), marked AS (
        INSERT INTO ${limitMark} (run_id, name, n, until)
        SELECT $1, name, n, clock_timestamp() + $3 * interval '1 ms' FROM taken
      )
      UPDATE ${job} SET status = 'in-progress', process_id = $1, leased_until = clock_timestamp() + $3 * interval '1 ms'
      WHERE id = ANY(${unseen('$2', 'bigint[]')}) AND status = 'new'`,

    // Waits for statements that are looking at the key's jobs. Also returns what this run has settled already, so that a commit
    // whose answer was lost is found again. $3 says whether the lease is known to be committed. If it is not, the lock waits for
    // it too, though its process_id is invisible before the commit. If it is, the lock does not wait for a later holder of the jobs.
    lockLeased: `
      WITH locked AS MATERIALIZED (
        SELECT id, status, process_id FROM ${job} WHERE id = ANY(${unseen('$2', 'bigint[]')}) AND (process_id = $1 OR NOT ${unseen('$3', 'boolean')})
        ORDER BY id
        FOR NO KEY UPDATE
      )
      SELECT id, status FROM locked WHERE process_id = $1`,

    reclaim: reclaim(''),

    // Where one of the jobs cannot be put back: the jobs to put back without those in $4, and the same of some of them, in $6.
    findReclaimable: `
      WITH ${leased}
      SELECT job.id, job.public_id FROM leased JOIN ${job} AS job USING (id)
      WHERE ${isOver} AND job.public_id <> ALL($4::uuid[])`,

    reclaimSome: reclaim(' AND job.id = ANY($6::bigint[])'),
  };
};
